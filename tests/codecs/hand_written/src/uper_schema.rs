//! The messages as their ASN.1 schema has them: integers within the ranges seen, floats as scaled
//! integers.

use rasn::prelude::*;

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct CurrentGeographicalPosition {
    pub position_latitude_degrees: Scaled,
    pub position_longitude_degrees: Scaled,
    #[rasn(value("4..=403", extensible))]
    pub position_altitude_metres: u32,
    #[rasn(value("13..=357", extensible))]
    pub position_heading_degrees: u32,
    #[rasn(value("0..=90", extensible))]
    pub position_speed_kilometres_per_hour: u32,
    pub position_fix_date_time: Utf8String,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct CurrentDriverInformation {
    pub driver_card_identification: Utf8String,
    pub driver_working_state: Utf8String,
    pub driver_card_inserted: bool,
    #[rasn(value("0..=2", extensible))]
    pub driver_time_related_warning_state: u32,
    #[rasn(value("113..=16156", extensible))]
    pub driver_continuous_driving_time_seconds: u32,
    #[rasn(value("0..=2700", extensible))]
    pub driver_cumulative_break_time_seconds: u32,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
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

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct AccumulatedVehicleCounters {
    #[rasn(value("0..=871064989", extensible))]
    pub total_vehicle_distance_metres: u32,
    #[rasn(value("0..=38810947", extensible))]
    pub total_engine_operating_time_seconds: u32,
    #[rasn(value("0..=250162086", extensible))]
    pub total_engine_fuel_consumption_millilitres: u32,
    #[rasn(value("0..=7859746", extensible))]
    pub total_idle_fuel_consumption_millilitres: u32,
    #[rasn(value("0..=8324682", extensible))]
    pub total_ad_blue_consumption_millilitres: u32,
    #[rasn(value("0..=366829", extensible))]
    pub total_power_take_off_active_time_seconds: u32,
    #[rasn(value("0..=855628", extensible))]
    pub total_power_take_off_fuel_consumption_millilitres: u32,
    #[rasn(value("0..=8039921", extensible))]
    pub total_cruise_control_active_time_seconds: u32,
    #[rasn(value("0..=72625113", extensible))]
    pub total_cruise_control_distance_metres: u32,
    #[rasn(value("0..=862197", extensible))]
    pub total_eco_roll_active_time_seconds: u32,
    #[rasn(value("0..=696005", extensible))]
    pub total_retarder_braking_time_seconds: u32,
    #[rasn(value("0..=871869", extensible))]
    pub total_service_brake_application_count: u32,
    #[rasn(value("0..=8914", extensible))]
    pub total_harsh_braking_event_count: u32,
    #[rasn(value("0..=8917", extensible))]
    pub total_harsh_acceleration_event_count: u32,
    #[rasn(value("0..=8483", extensible))]
    pub total_harsh_cornering_event_count: u32,
    #[rasn(value("0..=59168", extensible))]
    pub total_engine_start_count: u32,
    #[rasn(value("0..=89844", extensible))]
    pub total_parking_brake_application_count: u32,
    #[rasn(value("0..=863470", extensible))]
    pub total_gear_shift_count: u32,
    #[rasn(value("0..=87794", extensible))]
    pub total_door_opening_count: u32,
    #[rasn(value("0..=8859", extensible))]
    pub total_lane_departure_warning_count: u32,
    #[rasn(value("0..=871", extensible))]
    pub total_forward_collision_warning_count: u32,
    #[rasn(value("0..=878", extensible))]
    pub total_driver_attention_warning_count: u32,
    #[rasn(value("0..=882", extensible))]
    pub total_particulate_filter_regeneration_count: u32,
    #[rasn(value("0..=8309", extensible))]
    pub total_differential_lock_active_time_seconds: u32,
    #[rasn(value("0..=43234", extensible))]
    pub gross_combination_vehicle_weight_kilograms: u32,
    #[rasn(value("0..=2090", extensible))]
    pub current_engine_speed_revolutions_per_minute: u32,
    #[rasn(value("0..=97", extensible))]
    pub current_engine_coolant_temperature_degrees_celsius: u32,
    #[rasn(value("0..=96", extensible))]
    pub current_fuel_tank_level_percent: u32,
    #[rasn(value("0..=99", extensible))]
    pub current_ad_blue_tank_level_percent: u32,
    #[rasn(value("0..=1192", extensible))]
    pub current_brake_air_pressure_circuit_one_kilopascal: u32,
    #[rasn(value("0..=1199", extensible))]
    pub current_brake_air_pressure_circuit_two_kilopascal: u32,
    #[rasn(value("0..=27745", extensible))]
    pub current_battery_voltage_millivolts: u32,
    #[rasn(value("0..=87899714", extensible))]
    pub distance_to_next_scheduled_service_metres: u32,
    #[rasn(value("0..=12", extensible))]
    pub active_diagnostic_trouble_code_count: u32,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct TyreMonitoringMeasurement {
    #[rasn(value("1..=3", extensible))]
    pub axle_position_number: u32,
    #[rasn(value("1..=2", extensible))]
    pub wheel_position_number: u32,
    #[rasn(value("780..=905", extensible))]
    pub tyre_pressure_kilopascal: u32,
    #[rasn(value("8..=55", extensible))]
    pub tyre_temperature_degrees_celsius: u32,
    #[rasn(value("0..=38", extensible))]
    pub tyre_air_leakage_rate_pascal_per_second: u32,
    pub tyre_pressure_threshold_exceeded: bool,
    pub tyre_sensor_battery_low: bool,
    pub tyre_sensor_signal_lost: bool,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct VehicleSpeedClassStatistic {
    #[rasn(value("0..=130", extensible))]
    pub class_lower_boundary: u32,
    #[rasn(value("10..=140", extensible))]
    pub class_upper_boundary: u32,
    #[rasn(value("0..=1999531", extensible))]
    pub accumulated_duration_seconds: u32,
    #[rasn(value("0..=89960330", extensible))]
    pub accumulated_distance_metres: u32,
    #[rasn(value("0..=8997829", extensible))]
    pub accumulated_fuel_consumption_millilitres: u32,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct EngineSpeedClassStatistic {
    #[rasn(value("0..=2600", extensible))]
    pub class_lower_boundary: u32,
    #[rasn(value("200..=2800", extensible))]
    pub class_upper_boundary: u32,
    #[rasn(value("0..=1999724", extensible))]
    pub accumulated_duration_seconds: u32,
    #[rasn(value("0..=89940208", extensible))]
    pub accumulated_distance_metres: u32,
    #[rasn(value("0..=8998307", extensible))]
    pub accumulated_fuel_consumption_millilitres: u32,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct EngineTorqueClassStatistic {
    #[rasn(value("0..=130", extensible))]
    pub class_lower_boundary: u32,
    #[rasn(value("10..=140", extensible))]
    pub class_upper_boundary: u32,
    #[rasn(value("0..=1992137", extensible))]
    pub accumulated_duration_seconds: u32,
    #[rasn(value("0..=89927428", extensible))]
    pub accumulated_distance_metres: u32,
    #[rasn(value("0..=8996986", extensible))]
    pub accumulated_fuel_consumption_millilitres: u32,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
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

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct TrailerTyreMonitoringMeasurement {
    #[rasn(value("1..=3", extensible))]
    pub axle_position_number: u32,
    #[rasn(value("1..=2", extensible))]
    pub wheel_position_number: u32,
    #[rasn(value("781..=905", extensible))]
    pub tyre_pressure_kilopascal: u32,
    #[rasn(value("8..=55", extensible))]
    pub tyre_temperature_degrees_celsius: u32,
    #[rasn(value("0..=33", extensible))]
    pub tyre_air_leakage_rate_pascal_per_second: u32,
    pub tyre_pressure_threshold_exceeded: bool,
    pub tyre_sensor_battery_low: bool,
    pub tyre_sensor_signal_lost: bool,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct ConnectedTrailerInformation {
    pub trailer_vehicle_identification_number: Utf8String,
    pub trailer_axle_load_kilograms: Vec<u32>,
    pub trailer_switch_states: TrailerSwitchStates,
    pub trailer_tyre_monitoring_measurements: Vec<TrailerTyreMonitoringMeasurement>,
}

#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct VehicleStatus {
    #[rasn(value("1..=100", extensible))]
    pub message_sequence_number: u32,
    pub vehicle_identification_number: Utf8String,
    pub message_created_date_time: Utf8String,
    pub message_received_date_time: Utf8String,
    pub message_trigger_type: Utf8String,
    pub current_geographical_position: CurrentGeographicalPosition,
    pub current_driver_information: Option<CurrentDriverInformation>,
    pub telltale_indicator_states: TelltaleIndicatorStates,
    pub accumulated_vehicle_counters: Option<AccumulatedVehicleCounters>,
    pub tyre_monitoring_measurements: Option<Vec<TyreMonitoringMeasurement>>,
    pub vehicle_speed_class_statistics: Option<Vec<VehicleSpeedClassStatistic>>,
    pub engine_speed_class_statistics: Option<Vec<EngineSpeedClassStatistic>>,
    pub engine_torque_class_statistics: Option<Vec<EngineTorqueClassStatistic>>,
    pub connected_trailer_information: Option<ConnectedTrailerInformation>,
}

/// A float as digits times ten to the scale.
#[derive(AsnType, Decode, Encode)]
#[rasn(automatic_tags)]
pub struct Scaled {
    digits: Integer,
    #[rasn(value("-400..=400"))]
    scale: i16,
}

impl From<f64> for Scaled {
    fn from(value: f64) -> Self {
        let text = value.to_string();
        let (head, tail) = text.split_once('.').unwrap_or((&text, ""));
        let digits: i64 = format!("{head}{tail}").parse().unwrap_or(0);
        Self { digits: digits.into(), scale: -(tail.len() as i16) }
    }
}

impl From<&Scaled> for f64 {
    fn from(scaled: &Scaled) -> Self {
        let digits = i64::try_from(&scaled.digits).unwrap_or(0);
        format!("{digits}e{}", scaled.scale).parse().unwrap_or(Self::NAN)
    }
}
