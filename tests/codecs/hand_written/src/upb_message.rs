//! Between the application's messages and those of Google's Protobuf crate.

use pastey::paste;
use protobuf::{ProtoStr, Utf8Error};

use crate::message::*;
use crate::schemas::structs_proto as upb;

fn text(from: &ProtoStr) -> Result<String, Utf8Error> {
    Ok(from.to_str()?.to_owned())
}

macro_rules! set {
    ($out:ident, $setter:ident, $value:expr, String) => {
        $out.$setter($value.as_str())
    };
    ($out:ident, $setter:ident, $value:expr, $type:ident) => {
        $out.$setter($value)
    };
}

macro_rules! got {
    ($value:expr, String) => {
        text($value)?
    };
    ($value:expr, $type:ident) => {
        $value
    };
}

macro_rules! filled {
    ($($name:ident { $($field:ident: $type:ident,)* })*) => {$(paste! {
        impl $name {
            pub fn fill(&self, mut out: upb::[<$name Mut>]<'_>) {
                $(set!(out, [<set_ $field>], self.$field, $type);)*
            }

            pub fn of(from: upb::[<$name View>]<'_>) -> Result<Self, Utf8Error> {
                Ok(Self { $($field: got!(from.$field(), $type),)* })
            }
        }
    })*};
}
flat_tables!(filled);

impl ConnectedTrailerInformation {
    pub fn fill(&self, mut out: upb::ConnectedTrailerInformationMut<'_>) {
        out.set_trailer_vehicle_identification_number(self.trailer_vehicle_identification_number.as_str());
        out.trailer_axle_load_kilograms_mut().extend(self.trailer_axle_load_kilograms.iter().copied());
        self.trailer_switch_states.fill(out.trailer_switch_states_mut());
        let mut list = out.trailer_tyre_monitoring_measurements_mut();
        for one in &self.trailer_tyre_monitoring_measurements {
            one.fill(list.push_default());
        }
    }

    pub fn of(from: upb::ConnectedTrailerInformationView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            trailer_vehicle_identification_number: text(from.trailer_vehicle_identification_number())?,
            trailer_axle_load_kilograms: from.trailer_axle_load_kilograms().iter().collect(),
            trailer_switch_states: TrailerSwitchStates::of(from.trailer_switch_states())?,
            trailer_tyre_monitoring_measurements: from
                .trailer_tyre_monitoring_measurements()
                .iter()
                .map(TrailerTyreMonitoringMeasurement::of)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl VehicleStatus {
    pub fn fill(&self, mut out: upb::VehicleStatusMut<'_>) {
        out.set_message_sequence_number(self.message_sequence_number);
        out.set_vehicle_identification_number(self.vehicle_identification_number.as_str());
        out.set_message_created_date_time(self.message_created_date_time.as_str());
        out.set_message_received_date_time(self.message_received_date_time.as_str());
        out.set_message_trigger_type(self.message_trigger_type.as_str());
        self.current_geographical_position.fill(out.current_geographical_position_mut());
        if let Some(inner) = &self.current_driver_information {
            inner.fill(out.current_driver_information_mut());
        }
        self.telltale_indicator_states.fill(out.telltale_indicator_states_mut());
        if let Some(inner) = &self.accumulated_vehicle_counters {
            inner.fill(out.accumulated_vehicle_counters_mut());
        }
        let mut list = out.tyre_monitoring_measurements_mut();
        for one in self.tyre_monitoring_measurements.iter().flatten() {
            one.fill(list.push_default());
        }
        let mut list = out.vehicle_speed_class_statistics_mut();
        for one in self.vehicle_speed_class_statistics.iter().flatten() {
            one.fill(list.push_default());
        }
        let mut list = out.engine_speed_class_statistics_mut();
        for one in self.engine_speed_class_statistics.iter().flatten() {
            one.fill(list.push_default());
        }
        let mut list = out.engine_torque_class_statistics_mut();
        for one in self.engine_torque_class_statistics.iter().flatten() {
            one.fill(list.push_default());
        }
        if let Some(inner) = &self.connected_trailer_information {
            inner.fill(out.connected_trailer_information_mut());
        }
    }

    pub fn of(from: upb::VehicleStatusView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            message_sequence_number: from.message_sequence_number(),
            vehicle_identification_number: text(from.vehicle_identification_number())?,
            message_created_date_time: text(from.message_created_date_time())?,
            message_received_date_time: text(from.message_received_date_time())?,
            message_trigger_type: text(from.message_trigger_type())?,
            current_geographical_position: CurrentGeographicalPosition::of(from.current_geographical_position())?,
            current_driver_information: if from.has_current_driver_information() {
                Some(CurrentDriverInformation::of(from.current_driver_information())?)
            } else {
                None
            },
            telltale_indicator_states: TelltaleIndicatorStates::of(from.telltale_indicator_states())?,
            accumulated_vehicle_counters: if from.has_accumulated_vehicle_counters() {
                Some(AccumulatedVehicleCounters::of(from.accumulated_vehicle_counters())?)
            } else {
                None
            },
            tyre_monitoring_measurements: if from.tyre_monitoring_measurements().is_empty() {
                None
            } else {
                Some(
                    from.tyre_monitoring_measurements()
                        .iter()
                        .map(TyreMonitoringMeasurement::of)
                        .collect::<Result<_, _>>()?,
                )
            },
            vehicle_speed_class_statistics: if from.vehicle_speed_class_statistics().is_empty() {
                None
            } else {
                Some(
                    from.vehicle_speed_class_statistics()
                        .iter()
                        .map(VehicleSpeedClassStatistic::of)
                        .collect::<Result<_, _>>()?,
                )
            },
            engine_speed_class_statistics: if from.engine_speed_class_statistics().is_empty() {
                None
            } else {
                Some(
                    from.engine_speed_class_statistics()
                        .iter()
                        .map(EngineSpeedClassStatistic::of)
                        .collect::<Result<_, _>>()?,
                )
            },
            engine_torque_class_statistics: if from.engine_torque_class_statistics().is_empty() {
                None
            } else {
                Some(
                    from.engine_torque_class_statistics()
                        .iter()
                        .map(EngineTorqueClassStatistic::of)
                        .collect::<Result<_, _>>()?,
                )
            },
            connected_trailer_information: if from.has_connected_trailer_information() {
                Some(ConnectedTrailerInformation::of(from.connected_trailer_information())?)
            } else {
                None
            },
        })
    }
}
