//! The messages of examples/vehicle-status.jsonl as an application would declare them.

use bitcode::{Decode, Encode};
use rkyv::Archive;
use serde::{Deserialize, Serialize};

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CurrentGeographicalPosition {
    pub position_latitude_degrees: f64,
    pub position_longitude_degrees: f64,
    pub position_altitude_metres: u32,
    pub position_heading_degrees: u32,
    pub position_speed_kilometres_per_hour: u32,
    pub position_fix_date_time: String,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CurrentDriverInformation {
    pub driver_card_identification: String,
    pub driver_working_state: String,
    pub driver_card_inserted: bool,
    pub driver_time_related_warning_state: u32,
    pub driver_continuous_driving_time_seconds: u32,
    pub driver_cumulative_break_time_seconds: u32,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TelltaleIndicatorStates {
    pub engine_oil_pressure_warning_active: bool,
    pub engine_oil_pressure_failure_detected: bool,
    pub engine_oil_pressure_service_required: bool,
    pub engine_coolant_temperature_warning_active: bool,
    pub engine_coolant_temperature_failure_detected: bool,
    pub engine_coolant_temperature_service_required: bool,
    pub anti_lock_braking_system_warning_active: bool,
    pub anti_lock_braking_system_failure_detected: bool,
    pub anti_lock_braking_system_service_required: bool,
    pub electronic_stability_control_warning_active: bool,
    pub electronic_stability_control_failure_detected: bool,
    pub electronic_stability_control_service_required: bool,
    pub air_suspension_system_warning_active: bool,
    pub air_suspension_system_failure_detected: bool,
    pub air_suspension_system_service_required: bool,
    pub exhaust_aftertreatment_warning_active: bool,
    pub exhaust_aftertreatment_failure_detected: bool,
    pub exhaust_aftertreatment_service_required: bool,
    pub parking_brake_circuit_warning_active: bool,
    pub parking_brake_circuit_failure_detected: bool,
    pub parking_brake_circuit_service_required: bool,
    pub advanced_emergency_braking_warning_active: bool,
    pub advanced_emergency_braking_failure_detected: bool,
    pub advanced_emergency_braking_service_required: bool,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccumulatedVehicleCounters {
    pub total_vehicle_distance_metres: u32,
    pub total_engine_operating_time_seconds: u32,
    pub total_engine_fuel_consumption_millilitres: u32,
    pub total_idle_fuel_consumption_millilitres: u32,
    pub total_ad_blue_consumption_millilitres: u32,
    pub total_power_take_off_active_time_seconds: u32,
    pub total_power_take_off_fuel_consumption_millilitres: u32,
    pub total_cruise_control_active_time_seconds: u32,
    pub total_cruise_control_distance_metres: u32,
    pub total_eco_roll_active_time_seconds: u32,
    pub total_retarder_braking_time_seconds: u32,
    pub total_service_brake_application_count: u32,
    pub total_harsh_braking_event_count: u32,
    pub total_harsh_acceleration_event_count: u32,
    pub total_harsh_cornering_event_count: u32,
    pub total_engine_start_count: u32,
    pub total_parking_brake_application_count: u32,
    pub total_gear_shift_count: u32,
    pub total_door_opening_count: u32,
    pub total_lane_departure_warning_count: u32,
    pub total_forward_collision_warning_count: u32,
    pub total_driver_attention_warning_count: u32,
    pub total_particulate_filter_regeneration_count: u32,
    pub total_differential_lock_active_time_seconds: u32,
    pub gross_combination_vehicle_weight_kilograms: u32,
    pub current_engine_speed_revolutions_per_minute: u32,
    pub current_engine_coolant_temperature_degrees_celsius: u32,
    pub current_fuel_tank_level_percent: u32,
    pub current_ad_blue_tank_level_percent: u32,
    pub current_brake_air_pressure_circuit_one_kilopascal: u32,
    pub current_brake_air_pressure_circuit_two_kilopascal: u32,
    pub current_battery_voltage_millivolts: u32,
    pub distance_to_next_scheduled_service_metres: u32,
    pub active_diagnostic_trouble_code_count: u32,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TyreMonitoringMeasurement {
    pub axle_position_number: u32,
    pub wheel_position_number: u32,
    pub tyre_pressure_kilopascal: u32,
    pub tyre_temperature_degrees_celsius: u32,
    pub tyre_air_leakage_rate_pascal_per_second: u32,
    pub tyre_pressure_threshold_exceeded: bool,
    pub tyre_sensor_battery_low: bool,
    pub tyre_sensor_signal_lost: bool,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VehicleSpeedClassStatistic {
    pub class_lower_boundary: u32,
    pub class_upper_boundary: u32,
    pub accumulated_duration_seconds: u32,
    pub accumulated_distance_metres: u32,
    pub accumulated_fuel_consumption_millilitres: u32,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineSpeedClassStatistic {
    pub class_lower_boundary: u32,
    pub class_upper_boundary: u32,
    pub accumulated_duration_seconds: u32,
    pub accumulated_distance_metres: u32,
    pub accumulated_fuel_consumption_millilitres: u32,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineTorqueClassStatistic {
    pub class_lower_boundary: u32,
    pub class_upper_boundary: u32,
    pub accumulated_duration_seconds: u32,
    pub accumulated_distance_metres: u32,
    pub accumulated_fuel_consumption_millilitres: u32,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrailerSwitchStates {
    pub trailer_braking_system_connected: bool,
    pub trailer_braking_system_warning_active: bool,
    pub trailer_braking_system_failure_detected: bool,
    pub trailer_lift_axle_connected: bool,
    pub trailer_lift_axle_warning_active: bool,
    pub trailer_lift_axle_failure_detected: bool,
    pub trailer_cooling_unit_connected: bool,
    pub trailer_cooling_unit_warning_active: bool,
    pub trailer_cooling_unit_failure_detected: bool,
    pub trailer_rear_door_connected: bool,
    pub trailer_rear_door_warning_active: bool,
    pub trailer_rear_door_failure_detected: bool,
}

#[derive(Archive, Decode, Deserialize, Encode, Serialize, rkyv::Deserialize, rkyv::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrailerTyreMonitoringMeasurement {
    pub axle_position_number: u32,
    pub wheel_position_number: u32,
    pub tyre_pressure_kilopascal: u32,
    pub tyre_temperature_degrees_celsius: u32,
    pub tyre_air_leakage_rate_pascal_per_second: u32,
    pub tyre_pressure_threshold_exceeded: bool,
    pub tyre_sensor_battery_low: bool,
    pub tyre_sensor_signal_lost: bool,
}

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
