//! Between the application's messages and the tables of FlatBuffers.

use flatbuffers::{FlatBufferBuilder, WIPOffset};
use pastey::paste;

use crate::message::*;
use crate::schemas::flatbuffers as tables;

macro_rules! put {
    ($out:ident, $value:expr, String) => {
        Some($out.create_string(&$value))
    };
    ($out:ident, $value:expr, $type:ident) => {
        $value
    };
}

macro_rules! got {
    ($value:expr, String) => {
        $value.to_owned()
    };
    ($value:expr, $type:ident) => {
        $value
    };
}

macro_rules! created {
    ($($name:ident { $($field:ident: $type:ident,)* })*) => {$(paste! {
        impl $name {
            pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::$name<'a>> {
                let fields = tables::[<$name Args>] { $($field: put!(out, self.$field, $type),)* };
                tables::$name::create(out, &fields)
            }
        }

        impl From<tables::$name<'_>> for $name {
            fn from(table: tables::$name<'_>) -> Self {
                Self { $($field: got!(table.$field(), $type),)* }
            }
        }
    })*};
}
flat_tables!(created);

impl ConnectedTrailerInformation {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::ConnectedTrailerInformation<'a>> {
        let trailer_vehicle_identification_number =
            Some(out.create_string(&self.trailer_vehicle_identification_number));
        let trailer_axle_load_kilograms = Some(out.create_vector(&self.trailer_axle_load_kilograms));
        let trailer_switch_states = Some(self.trailer_switch_states.create(out));
        let trailer_tyre_monitoring_measurements: Vec<_> =
            self.trailer_tyre_monitoring_measurements.iter().map(|one| one.create(out)).collect();
        let trailer_tyre_monitoring_measurements = Some(out.create_vector(&trailer_tyre_monitoring_measurements));
        let fields = tables::ConnectedTrailerInformationArgs {
            trailer_vehicle_identification_number,
            trailer_axle_load_kilograms,
            trailer_switch_states,
            trailer_tyre_monitoring_measurements,
        };
        tables::ConnectedTrailerInformation::create(out, &fields)
    }
}

impl From<tables::ConnectedTrailerInformation<'_>> for ConnectedTrailerInformation {
    fn from(table: tables::ConnectedTrailerInformation<'_>) -> Self {
        Self {
            trailer_vehicle_identification_number: table.trailer_vehicle_identification_number().to_owned(),
            trailer_axle_load_kilograms: table.trailer_axle_load_kilograms().iter().collect(),
            trailer_switch_states: table.trailer_switch_states().into(),
            trailer_tyre_monitoring_measurements: table
                .trailer_tyre_monitoring_measurements()
                .iter()
                .map(Into::into)
                .collect(),
        }
    }
}

impl VehicleStatus {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::VehicleStatus<'a>> {
        let vehicle_identification_number = Some(out.create_string(&self.vehicle_identification_number));
        let message_created_date_time = Some(out.create_string(&self.message_created_date_time));
        let message_received_date_time = Some(out.create_string(&self.message_received_date_time));
        let message_trigger_type = Some(out.create_string(&self.message_trigger_type));
        let current_geographical_position = Some(self.current_geographical_position.create(out));
        let current_driver_information = self.current_driver_information.as_ref().map(|inner| inner.create(out));
        let telltale_indicator_states = Some(self.telltale_indicator_states.create(out));
        let accumulated_vehicle_counters = self.accumulated_vehicle_counters.as_ref().map(|inner| inner.create(out));
        let tyre_monitoring_measurements = self.tyre_monitoring_measurements.as_ref().map(|all| {
            let all: Vec<_> = all.iter().map(|one| one.create(out)).collect();
            out.create_vector(&all)
        });
        let vehicle_speed_class_statistics = self.vehicle_speed_class_statistics.as_ref().map(|all| {
            let all: Vec<_> = all.iter().map(|one| one.create(out)).collect();
            out.create_vector(&all)
        });
        let engine_speed_class_statistics = self.engine_speed_class_statistics.as_ref().map(|all| {
            let all: Vec<_> = all.iter().map(|one| one.create(out)).collect();
            out.create_vector(&all)
        });
        let engine_torque_class_statistics = self.engine_torque_class_statistics.as_ref().map(|all| {
            let all: Vec<_> = all.iter().map(|one| one.create(out)).collect();
            out.create_vector(&all)
        });
        let connected_trailer_information = self.connected_trailer_information.as_ref().map(|inner| inner.create(out));
        let fields = tables::VehicleStatusArgs {
            message_sequence_number: self.message_sequence_number,
            vehicle_identification_number,
            message_created_date_time,
            message_received_date_time,
            message_trigger_type,
            current_geographical_position,
            current_driver_information,
            telltale_indicator_states,
            accumulated_vehicle_counters,
            tyre_monitoring_measurements,
            vehicle_speed_class_statistics,
            engine_speed_class_statistics,
            engine_torque_class_statistics,
            connected_trailer_information,
        };
        tables::VehicleStatus::create(out, &fields)
    }
}

impl From<tables::VehicleStatus<'_>> for VehicleStatus {
    fn from(table: tables::VehicleStatus<'_>) -> Self {
        Self {
            message_sequence_number: table.message_sequence_number(),
            vehicle_identification_number: table.vehicle_identification_number().to_owned(),
            message_created_date_time: table.message_created_date_time().to_owned(),
            message_received_date_time: table.message_received_date_time().to_owned(),
            message_trigger_type: table.message_trigger_type().to_owned(),
            current_geographical_position: table.current_geographical_position().into(),
            current_driver_information: table.current_driver_information().map(Into::into),
            telltale_indicator_states: table.telltale_indicator_states().into(),
            accumulated_vehicle_counters: table.accumulated_vehicle_counters().map(Into::into),
            tyre_monitoring_measurements: table
                .tyre_monitoring_measurements()
                .map(|all| all.iter().map(Into::into).collect()),
            vehicle_speed_class_statistics: table
                .vehicle_speed_class_statistics()
                .map(|all| all.iter().map(Into::into).collect()),
            engine_speed_class_statistics: table
                .engine_speed_class_statistics()
                .map(|all| all.iter().map(Into::into).collect()),
            engine_torque_class_statistics: table
                .engine_torque_class_statistics()
                .map(|all| all.iter().map(Into::into).collect()),
            connected_trailer_information: table.connected_trailer_information().map(Into::into),
        }
    }
}
