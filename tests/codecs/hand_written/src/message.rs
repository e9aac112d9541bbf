//! The messages of examples/vehicle-status.jsonl as an application would declare them.

use bitcode::{Decode, Encode};
use rkyv::Archive;
use serde::{Deserialize, Serialize};

/// Gives a macro the tables that hold no others: `each! { MORE Table { field: type, ... } ... }`.
macro_rules! flat_tables {
    ($each:ident $($more:tt)*) => {
        $each! { $($more)*
            CurrentGeographicalPosition {
                position_latitude_degrees: f64,
                position_longitude_degrees: f64,
                position_altitude_metres: u32,
                position_heading_degrees: u32,
                position_speed_kilometres_per_hour: u32,
                position_fix_date_time: String,
            }
            CurrentDriverInformation {
                driver_card_identification: String,
                driver_working_state: String,
                driver_card_inserted: bool,
                driver_time_related_warning_state: u32,
                driver_continuous_driving_time_seconds: u32,
                driver_cumulative_break_time_seconds: u32,
            }
            TelltaleIndicatorStates {
                engine_oil_pressure_warning_active: bool,
                engine_oil_pressure_failure_detected: bool,
                engine_oil_pressure_service_required: bool,
                engine_coolant_temperature_warning_active: bool,
                engine_coolant_temperature_failure_detected: bool,
                engine_coolant_temperature_service_required: bool,
                anti_lock_braking_system_warning_active: bool,
                anti_lock_braking_system_failure_detected: bool,
                anti_lock_braking_system_service_required: bool,
                electronic_stability_control_warning_active: bool,
                electronic_stability_control_failure_detected: bool,
                electronic_stability_control_service_required: bool,
                air_suspension_system_warning_active: bool,
                air_suspension_system_failure_detected: bool,
                air_suspension_system_service_required: bool,
                exhaust_aftertreatment_warning_active: bool,
                exhaust_aftertreatment_failure_detected: bool,
                exhaust_aftertreatment_service_required: bool,
                parking_brake_circuit_warning_active: bool,
                parking_brake_circuit_failure_detected: bool,
                parking_brake_circuit_service_required: bool,
                advanced_emergency_braking_warning_active: bool,
                advanced_emergency_braking_failure_detected: bool,
                advanced_emergency_braking_service_required: bool,
            }
            AccumulatedVehicleCounters {
                total_vehicle_distance_metres: u32,
                total_engine_operating_time_seconds: u32,
                total_engine_fuel_consumption_millilitres: u32,
                total_idle_fuel_consumption_millilitres: u32,
                total_ad_blue_consumption_millilitres: u32,
                total_power_take_off_active_time_seconds: u32,
                total_power_take_off_fuel_consumption_millilitres: u32,
                total_cruise_control_active_time_seconds: u32,
                total_cruise_control_distance_metres: u32,
                total_eco_roll_active_time_seconds: u32,
                total_retarder_braking_time_seconds: u32,
                total_service_brake_application_count: u32,
                total_harsh_braking_event_count: u32,
                total_harsh_acceleration_event_count: u32,
                total_harsh_cornering_event_count: u32,
                total_engine_start_count: u32,
                total_parking_brake_application_count: u32,
                total_gear_shift_count: u32,
                total_door_opening_count: u32,
                total_lane_departure_warning_count: u32,
                total_forward_collision_warning_count: u32,
                total_driver_attention_warning_count: u32,
                total_particulate_filter_regeneration_count: u32,
                total_differential_lock_active_time_seconds: u32,
                gross_combination_vehicle_weight_kilograms: u32,
                current_engine_speed_revolutions_per_minute: u32,
                current_engine_coolant_temperature_degrees_celsius: u32,
                current_fuel_tank_level_percent: u32,
                current_ad_blue_tank_level_percent: u32,
                current_brake_air_pressure_circuit_one_kilopascal: u32,
                current_brake_air_pressure_circuit_two_kilopascal: u32,
                current_battery_voltage_millivolts: u32,
                distance_to_next_scheduled_service_metres: u32,
                active_diagnostic_trouble_code_count: u32,
            }
            TyreMonitoringMeasurement {
                axle_position_number: u32,
                wheel_position_number: u32,
                tyre_pressure_kilopascal: u32,
                tyre_temperature_degrees_celsius: u32,
                tyre_air_leakage_rate_pascal_per_second: u32,
                tyre_pressure_threshold_exceeded: bool,
                tyre_sensor_battery_low: bool,
                tyre_sensor_signal_lost: bool,
            }
            VehicleSpeedClassStatistic {
                class_lower_boundary: u32,
                class_upper_boundary: u32,
                accumulated_duration_seconds: u32,
                accumulated_distance_metres: u32,
                accumulated_fuel_consumption_millilitres: u32,
            }
            EngineSpeedClassStatistic {
                class_lower_boundary: u32,
                class_upper_boundary: u32,
                accumulated_duration_seconds: u32,
                accumulated_distance_metres: u32,
                accumulated_fuel_consumption_millilitres: u32,
            }
            EngineTorqueClassStatistic {
                class_lower_boundary: u32,
                class_upper_boundary: u32,
                accumulated_duration_seconds: u32,
                accumulated_distance_metres: u32,
                accumulated_fuel_consumption_millilitres: u32,
            }
            TrailerSwitchStates {
                trailer_braking_system_connected: bool,
                trailer_braking_system_warning_active: bool,
                trailer_braking_system_failure_detected: bool,
                trailer_lift_axle_connected: bool,
                trailer_lift_axle_warning_active: bool,
                trailer_lift_axle_failure_detected: bool,
                trailer_cooling_unit_connected: bool,
                trailer_cooling_unit_warning_active: bool,
                trailer_cooling_unit_failure_detected: bool,
                trailer_rear_door_connected: bool,
                trailer_rear_door_warning_active: bool,
                trailer_rear_door_failure_detected: bool,
            }
            TrailerTyreMonitoringMeasurement {
                axle_position_number: u32,
                wheel_position_number: u32,
                tyre_pressure_kilopascal: u32,
                tyre_temperature_degrees_celsius: u32,
                tyre_air_leakage_rate_pascal_per_second: u32,
                tyre_pressure_threshold_exceeded: bool,
                tyre_sensor_battery_low: bool,
                tyre_sensor_signal_lost: bool,
            }
        }
    };
}

/// Gives a macro the tables that hold others, and their fields' names.
macro_rules! nested_tables {
    ($each:ident $($more:tt)*) => {
        $each! { $($more)*
            ConnectedTrailerInformation {
                trailer_vehicle_identification_number,
                trailer_axle_load_kilograms,
                trailer_switch_states,
                trailer_tyre_monitoring_measurements,
            }
            VehicleStatus {
                message_sequence_number,
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
            }
        }
    };
}

macro_rules! declared {
    ($($name:ident { $($field:ident: $type:ident,)* })*) => {$(
        #[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(pub $field: $type,)*
        }
    )*};
}
flat_tables!(declared);

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectedTrailerInformation {
    pub trailer_vehicle_identification_number: String,
    pub trailer_axle_load_kilograms: Vec<u32>,
    pub trailer_switch_states: TrailerSwitchStates,
    pub trailer_tyre_monitoring_measurements: Vec<TrailerTyreMonitoringMeasurement>,
}

macro_rules! vehicle_status {
    ($name:ident $(, $skip:literal)?) => {
        #[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            pub message_sequence_number: u32,
            pub vehicle_identification_number: String,
            pub message_created_date_time: String,
            pub message_received_date_time: String,
            pub message_trigger_type: String,
            pub current_geographical_position: CurrentGeographicalPosition,
            #[serde($(skip_serializing_if = $skip)?)]
            pub current_driver_information: Option<CurrentDriverInformation>,
            pub telltale_indicator_states: TelltaleIndicatorStates,
            #[serde($(skip_serializing_if = $skip)?)]
            pub accumulated_vehicle_counters: Option<AccumulatedVehicleCounters>,
            #[serde($(skip_serializing_if = $skip)?)]
            pub tyre_monitoring_measurements: Option<Vec<TyreMonitoringMeasurement>>,
            #[serde($(skip_serializing_if = $skip)?)]
            pub vehicle_speed_class_statistics: Option<Vec<VehicleSpeedClassStatistic>>,
            #[serde($(skip_serializing_if = $skip)?)]
            pub engine_speed_class_statistics: Option<Vec<EngineSpeedClassStatistic>>,
            #[serde($(skip_serializing_if = $skip)?)]
            pub engine_torque_class_statistics: Option<Vec<EngineTorqueClassStatistic>>,
            #[serde($(skip_serializing_if = $skip)?)]
            pub connected_trailer_information: Option<ConnectedTrailerInformation>,
        }
    };
}
// Formats with names leave out what is absent; formats without names have a place for it.
vehicle_status!(VehicleStatus, "Option::is_none");
vehicle_status!(Positional);
