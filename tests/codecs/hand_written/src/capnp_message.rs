//! Between the application's messages and Cap'n Proto's builders and readers.

use capnp::Result;
use pastey::paste;

use crate::message::*;
use crate::schemas::structs_capnp as tables;

macro_rules! set {
    ($out:ident, $setter:ident, $value:expr, String) => {
        $out.$setter(&$value)
    };
    ($out:ident, $setter:ident, $value:expr, $type:ident) => {
        $out.$setter($value)
    };
}

macro_rules! got {
    ($value:expr, String) => {
        $value?.to_string()?
    };
    ($value:expr, $type:ident) => {
        $value
    };
}

macro_rules! written {
    ($($name:ident { $($field:ident: $type:ident,)* })*) => {$(paste! {
        impl $name {
            pub fn write(&self, mut out: tables::[<$name:snake>]::Builder<'_>) {
                $(set!(out, [<set_ $field>], self.$field, $type);)*
            }

            pub fn read(from: tables::[<$name:snake>]::Reader<'_>) -> Result<Self> {
                Ok(Self { $($field: got!(from.[<get_ $field>](), $type),)* })
            }
        }
    })*};
}
flat_tables!(written);

impl ConnectedTrailerInformation {
    pub fn write(&self, mut out: tables::connected_trailer_information::Builder<'_>) {
        out.set_trailer_vehicle_identification_number(&self.trailer_vehicle_identification_number);
        let mut list = out.reborrow().init_trailer_axle_load_kilograms(self.trailer_axle_load_kilograms.len() as u32);
        for (index, number) in self.trailer_axle_load_kilograms.iter().enumerate() {
            list.set(index as u32, *number);
        }
        self.trailer_switch_states.write(out.reborrow().init_trailer_switch_states());
        let mut list = out
            .reborrow()
            .init_trailer_tyre_monitoring_measurements(self.trailer_tyre_monitoring_measurements.len() as u32);
        for (index, one) in self.trailer_tyre_monitoring_measurements.iter().enumerate() {
            one.write(list.reborrow().get(index as u32));
        }
    }

    pub fn read(from: tables::connected_trailer_information::Reader<'_>) -> Result<Self> {
        Ok(Self {
            trailer_vehicle_identification_number: from.get_trailer_vehicle_identification_number()?.to_string()?,
            trailer_axle_load_kilograms: from.get_trailer_axle_load_kilograms()?.iter().collect(),
            trailer_switch_states: TrailerSwitchStates::read(from.get_trailer_switch_states()?)?,
            trailer_tyre_monitoring_measurements: from
                .get_trailer_tyre_monitoring_measurements()?
                .iter()
                .map(TrailerTyreMonitoringMeasurement::read)
                .collect::<Result<_>>()?,
        })
    }
}

impl VehicleStatus {
    pub fn write(&self, mut out: tables::vehicle_status::Builder<'_>) {
        out.set_message_sequence_number(self.message_sequence_number);
        out.set_vehicle_identification_number(&self.vehicle_identification_number);
        out.set_message_created_date_time(&self.message_created_date_time);
        out.set_message_received_date_time(&self.message_received_date_time);
        out.set_message_trigger_type(&self.message_trigger_type);
        self.current_geographical_position.write(out.reborrow().init_current_geographical_position());
        if let Some(inner) = &self.current_driver_information {
            inner.write(out.reborrow().init_current_driver_information());
        }
        self.telltale_indicator_states.write(out.reborrow().init_telltale_indicator_states());
        if let Some(inner) = &self.accumulated_vehicle_counters {
            inner.write(out.reborrow().init_accumulated_vehicle_counters());
        }
        if let Some(all) = &self.tyre_monitoring_measurements {
            let mut list = out.reborrow().init_tyre_monitoring_measurements(all.len() as u32);
            for (index, one) in all.iter().enumerate() {
                one.write(list.reborrow().get(index as u32));
            }
        }
        if let Some(all) = &self.vehicle_speed_class_statistics {
            let mut list = out.reborrow().init_vehicle_speed_class_statistics(all.len() as u32);
            for (index, one) in all.iter().enumerate() {
                one.write(list.reborrow().get(index as u32));
            }
        }
        if let Some(all) = &self.engine_speed_class_statistics {
            let mut list = out.reborrow().init_engine_speed_class_statistics(all.len() as u32);
            for (index, one) in all.iter().enumerate() {
                one.write(list.reborrow().get(index as u32));
            }
        }
        if let Some(all) = &self.engine_torque_class_statistics {
            let mut list = out.reborrow().init_engine_torque_class_statistics(all.len() as u32);
            for (index, one) in all.iter().enumerate() {
                one.write(list.reborrow().get(index as u32));
            }
        }
        if let Some(inner) = &self.connected_trailer_information {
            inner.write(out.reborrow().init_connected_trailer_information());
        }
    }

    pub fn read(from: tables::vehicle_status::Reader<'_>) -> Result<Self> {
        Ok(Self {
            message_sequence_number: from.get_message_sequence_number(),
            vehicle_identification_number: from.get_vehicle_identification_number()?.to_string()?,
            message_created_date_time: from.get_message_created_date_time()?.to_string()?,
            message_received_date_time: from.get_message_received_date_time()?.to_string()?,
            message_trigger_type: from.get_message_trigger_type()?.to_string()?,
            current_geographical_position: CurrentGeographicalPosition::read(
                from.get_current_geographical_position()?,
            )?,
            current_driver_information: if from.has_current_driver_information() {
                Some(CurrentDriverInformation::read(from.get_current_driver_information()?)?)
            } else {
                None
            },
            telltale_indicator_states: TelltaleIndicatorStates::read(from.get_telltale_indicator_states()?)?,
            accumulated_vehicle_counters: if from.has_accumulated_vehicle_counters() {
                Some(AccumulatedVehicleCounters::read(from.get_accumulated_vehicle_counters()?)?)
            } else {
                None
            },
            tyre_monitoring_measurements: if from.has_tyre_monitoring_measurements() {
                Some(
                    from.get_tyre_monitoring_measurements()?
                        .iter()
                        .map(TyreMonitoringMeasurement::read)
                        .collect::<Result<_>>()?,
                )
            } else {
                None
            },
            vehicle_speed_class_statistics: if from.has_vehicle_speed_class_statistics() {
                Some(
                    from.get_vehicle_speed_class_statistics()?
                        .iter()
                        .map(VehicleSpeedClassStatistic::read)
                        .collect::<Result<_>>()?,
                )
            } else {
                None
            },
            engine_speed_class_statistics: if from.has_engine_speed_class_statistics() {
                Some(
                    from.get_engine_speed_class_statistics()?
                        .iter()
                        .map(EngineSpeedClassStatistic::read)
                        .collect::<Result<_>>()?,
                )
            } else {
                None
            },
            engine_torque_class_statistics: if from.has_engine_torque_class_statistics() {
                Some(
                    from.get_engine_torque_class_statistics()?
                        .iter()
                        .map(EngineTorqueClassStatistic::read)
                        .collect::<Result<_>>()?,
                )
            } else {
                None
            },
            connected_trailer_information: if from.has_connected_trailer_information() {
                Some(ConnectedTrailerInformation::read(from.get_connected_trailer_information()?)?)
            } else {
                None
            },
        })
    }
}
