//! Between the application's messages and Thrift's.

use crate::message::*;
use crate::schemas::thrift;

impl From<&CurrentGeographicalPosition> for thrift::CurrentGeographicalPosition {
    fn from(message: &CurrentGeographicalPosition) -> Self {
        Self {
            position_latitude_degrees: message.position_latitude_degrees.into(),
            position_longitude_degrees: message.position_longitude_degrees.into(),
            position_altitude_metres: message.position_altitude_metres as i32,
            position_heading_degrees: message.position_heading_degrees as i32,
            position_speed_kilometres_per_hour: message.position_speed_kilometres_per_hour as i32,
            position_fix_date_time: message.position_fix_date_time.clone(),
        }
    }
}

impl From<thrift::CurrentGeographicalPosition> for CurrentGeographicalPosition {
    fn from(message: thrift::CurrentGeographicalPosition) -> Self {
        Self {
            position_latitude_degrees: message.position_latitude_degrees.into_inner(),
            position_longitude_degrees: message.position_longitude_degrees.into_inner(),
            position_altitude_metres: message.position_altitude_metres as u32,
            position_heading_degrees: message.position_heading_degrees as u32,
            position_speed_kilometres_per_hour: message.position_speed_kilometres_per_hour as u32,
            position_fix_date_time: message.position_fix_date_time,
        }
    }
}

impl From<&CurrentDriverInformation> for thrift::CurrentDriverInformation {
    fn from(message: &CurrentDriverInformation) -> Self {
        Self {
            driver_card_identification: message.driver_card_identification.clone(),
            driver_working_state: message.driver_working_state.clone(),
            driver_card_inserted: message.driver_card_inserted,
            driver_time_related_warning_state: message.driver_time_related_warning_state as i32,
            driver_continuous_driving_time_seconds: message.driver_continuous_driving_time_seconds as i32,
            driver_cumulative_break_time_seconds: message.driver_cumulative_break_time_seconds as i32,
        }
    }
}

impl From<thrift::CurrentDriverInformation> for CurrentDriverInformation {
    fn from(message: thrift::CurrentDriverInformation) -> Self {
        Self {
            driver_card_identification: message.driver_card_identification,
            driver_working_state: message.driver_working_state,
            driver_card_inserted: message.driver_card_inserted,
            driver_time_related_warning_state: message.driver_time_related_warning_state as u32,
            driver_continuous_driving_time_seconds: message.driver_continuous_driving_time_seconds as u32,
            driver_cumulative_break_time_seconds: message.driver_cumulative_break_time_seconds as u32,
        }
    }
}

impl From<&TelltaleIndicatorStates> for thrift::TelltaleIndicatorStates {
    fn from(message: &TelltaleIndicatorStates) -> Self {
        Self {
            engine_oil_pressure_warning_active: message.engine_oil_pressure_warning_active,
            engine_oil_pressure_failure_detected: message.engine_oil_pressure_failure_detected,
            engine_oil_pressure_service_required: message.engine_oil_pressure_service_required,
            engine_coolant_temperature_warning_active: message.engine_coolant_temperature_warning_active,
            engine_coolant_temperature_failure_detected: message.engine_coolant_temperature_failure_detected,
            engine_coolant_temperature_service_required: message.engine_coolant_temperature_service_required,
            anti_lock_braking_system_warning_active: message.anti_lock_braking_system_warning_active,
            anti_lock_braking_system_failure_detected: message.anti_lock_braking_system_failure_detected,
            anti_lock_braking_system_service_required: message.anti_lock_braking_system_service_required,
            electronic_stability_control_warning_active: message.electronic_stability_control_warning_active,
            electronic_stability_control_failure_detected: message.electronic_stability_control_failure_detected,
            electronic_stability_control_service_required: message.electronic_stability_control_service_required,
            air_suspension_system_warning_active: message.air_suspension_system_warning_active,
            air_suspension_system_failure_detected: message.air_suspension_system_failure_detected,
            air_suspension_system_service_required: message.air_suspension_system_service_required,
            exhaust_aftertreatment_warning_active: message.exhaust_aftertreatment_warning_active,
            exhaust_aftertreatment_failure_detected: message.exhaust_aftertreatment_failure_detected,
            exhaust_aftertreatment_service_required: message.exhaust_aftertreatment_service_required,
            parking_brake_circuit_warning_active: message.parking_brake_circuit_warning_active,
            parking_brake_circuit_failure_detected: message.parking_brake_circuit_failure_detected,
            parking_brake_circuit_service_required: message.parking_brake_circuit_service_required,
            advanced_emergency_braking_warning_active: message.advanced_emergency_braking_warning_active,
            advanced_emergency_braking_failure_detected: message.advanced_emergency_braking_failure_detected,
            advanced_emergency_braking_service_required: message.advanced_emergency_braking_service_required,
        }
    }
}

impl From<thrift::TelltaleIndicatorStates> for TelltaleIndicatorStates {
    fn from(message: thrift::TelltaleIndicatorStates) -> Self {
        Self {
            engine_oil_pressure_warning_active: message.engine_oil_pressure_warning_active,
            engine_oil_pressure_failure_detected: message.engine_oil_pressure_failure_detected,
            engine_oil_pressure_service_required: message.engine_oil_pressure_service_required,
            engine_coolant_temperature_warning_active: message.engine_coolant_temperature_warning_active,
            engine_coolant_temperature_failure_detected: message.engine_coolant_temperature_failure_detected,
            engine_coolant_temperature_service_required: message.engine_coolant_temperature_service_required,
            anti_lock_braking_system_warning_active: message.anti_lock_braking_system_warning_active,
            anti_lock_braking_system_failure_detected: message.anti_lock_braking_system_failure_detected,
            anti_lock_braking_system_service_required: message.anti_lock_braking_system_service_required,
            electronic_stability_control_warning_active: message.electronic_stability_control_warning_active,
            electronic_stability_control_failure_detected: message.electronic_stability_control_failure_detected,
            electronic_stability_control_service_required: message.electronic_stability_control_service_required,
            air_suspension_system_warning_active: message.air_suspension_system_warning_active,
            air_suspension_system_failure_detected: message.air_suspension_system_failure_detected,
            air_suspension_system_service_required: message.air_suspension_system_service_required,
            exhaust_aftertreatment_warning_active: message.exhaust_aftertreatment_warning_active,
            exhaust_aftertreatment_failure_detected: message.exhaust_aftertreatment_failure_detected,
            exhaust_aftertreatment_service_required: message.exhaust_aftertreatment_service_required,
            parking_brake_circuit_warning_active: message.parking_brake_circuit_warning_active,
            parking_brake_circuit_failure_detected: message.parking_brake_circuit_failure_detected,
            parking_brake_circuit_service_required: message.parking_brake_circuit_service_required,
            advanced_emergency_braking_warning_active: message.advanced_emergency_braking_warning_active,
            advanced_emergency_braking_failure_detected: message.advanced_emergency_braking_failure_detected,
            advanced_emergency_braking_service_required: message.advanced_emergency_braking_service_required,
        }
    }
}

impl From<&AccumulatedVehicleCounters> for thrift::AccumulatedVehicleCounters {
    fn from(message: &AccumulatedVehicleCounters) -> Self {
        Self {
            total_vehicle_distance_metres: message.total_vehicle_distance_metres as i32,
            total_engine_operating_time_seconds: message.total_engine_operating_time_seconds as i32,
            total_engine_fuel_consumption_millilitres: message.total_engine_fuel_consumption_millilitres as i32,
            total_idle_fuel_consumption_millilitres: message.total_idle_fuel_consumption_millilitres as i32,
            total_ad_blue_consumption_millilitres: message.total_ad_blue_consumption_millilitres as i32,
            total_power_take_off_active_time_seconds: message.total_power_take_off_active_time_seconds as i32,
            total_power_take_off_fuel_consumption_millilitres: message.total_power_take_off_fuel_consumption_millilitres
                as i32,
            total_cruise_control_active_time_seconds: message.total_cruise_control_active_time_seconds as i32,
            total_cruise_control_distance_metres: message.total_cruise_control_distance_metres as i32,
            total_eco_roll_active_time_seconds: message.total_eco_roll_active_time_seconds as i32,
            total_retarder_braking_time_seconds: message.total_retarder_braking_time_seconds as i32,
            total_service_brake_application_count: message.total_service_brake_application_count as i32,
            total_harsh_braking_event_count: message.total_harsh_braking_event_count as i32,
            total_harsh_acceleration_event_count: message.total_harsh_acceleration_event_count as i32,
            total_harsh_cornering_event_count: message.total_harsh_cornering_event_count as i32,
            total_engine_start_count: message.total_engine_start_count as i32,
            total_parking_brake_application_count: message.total_parking_brake_application_count as i32,
            total_gear_shift_count: message.total_gear_shift_count as i32,
            total_door_opening_count: message.total_door_opening_count as i32,
            total_lane_departure_warning_count: message.total_lane_departure_warning_count as i32,
            total_forward_collision_warning_count: message.total_forward_collision_warning_count as i32,
            total_driver_attention_warning_count: message.total_driver_attention_warning_count as i32,
            total_particulate_filter_regeneration_count: message.total_particulate_filter_regeneration_count as i32,
            total_differential_lock_active_time_seconds: message.total_differential_lock_active_time_seconds as i32,
            gross_combination_vehicle_weight_kilograms: message.gross_combination_vehicle_weight_kilograms as i32,
            current_engine_speed_revolutions_per_minute: message.current_engine_speed_revolutions_per_minute as i32,
            current_engine_coolant_temperature_degrees_celsius: message
                .current_engine_coolant_temperature_degrees_celsius
                as i32,
            current_fuel_tank_level_percent: message.current_fuel_tank_level_percent as i32,
            current_ad_blue_tank_level_percent: message.current_ad_blue_tank_level_percent as i32,
            current_brake_air_pressure_circuit_one_kilopascal: message.current_brake_air_pressure_circuit_one_kilopascal
                as i32,
            current_brake_air_pressure_circuit_two_kilopascal: message.current_brake_air_pressure_circuit_two_kilopascal
                as i32,
            current_battery_voltage_millivolts: message.current_battery_voltage_millivolts as i32,
            distance_to_next_scheduled_service_metres: message.distance_to_next_scheduled_service_metres as i32,
            active_diagnostic_trouble_code_count: message.active_diagnostic_trouble_code_count as i32,
        }
    }
}

impl From<thrift::AccumulatedVehicleCounters> for AccumulatedVehicleCounters {
    fn from(message: thrift::AccumulatedVehicleCounters) -> Self {
        Self {
            total_vehicle_distance_metres: message.total_vehicle_distance_metres as u32,
            total_engine_operating_time_seconds: message.total_engine_operating_time_seconds as u32,
            total_engine_fuel_consumption_millilitres: message.total_engine_fuel_consumption_millilitres as u32,
            total_idle_fuel_consumption_millilitres: message.total_idle_fuel_consumption_millilitres as u32,
            total_ad_blue_consumption_millilitres: message.total_ad_blue_consumption_millilitres as u32,
            total_power_take_off_active_time_seconds: message.total_power_take_off_active_time_seconds as u32,
            total_power_take_off_fuel_consumption_millilitres: message.total_power_take_off_fuel_consumption_millilitres
                as u32,
            total_cruise_control_active_time_seconds: message.total_cruise_control_active_time_seconds as u32,
            total_cruise_control_distance_metres: message.total_cruise_control_distance_metres as u32,
            total_eco_roll_active_time_seconds: message.total_eco_roll_active_time_seconds as u32,
            total_retarder_braking_time_seconds: message.total_retarder_braking_time_seconds as u32,
            total_service_brake_application_count: message.total_service_brake_application_count as u32,
            total_harsh_braking_event_count: message.total_harsh_braking_event_count as u32,
            total_harsh_acceleration_event_count: message.total_harsh_acceleration_event_count as u32,
            total_harsh_cornering_event_count: message.total_harsh_cornering_event_count as u32,
            total_engine_start_count: message.total_engine_start_count as u32,
            total_parking_brake_application_count: message.total_parking_brake_application_count as u32,
            total_gear_shift_count: message.total_gear_shift_count as u32,
            total_door_opening_count: message.total_door_opening_count as u32,
            total_lane_departure_warning_count: message.total_lane_departure_warning_count as u32,
            total_forward_collision_warning_count: message.total_forward_collision_warning_count as u32,
            total_driver_attention_warning_count: message.total_driver_attention_warning_count as u32,
            total_particulate_filter_regeneration_count: message.total_particulate_filter_regeneration_count as u32,
            total_differential_lock_active_time_seconds: message.total_differential_lock_active_time_seconds as u32,
            gross_combination_vehicle_weight_kilograms: message.gross_combination_vehicle_weight_kilograms as u32,
            current_engine_speed_revolutions_per_minute: message.current_engine_speed_revolutions_per_minute as u32,
            current_engine_coolant_temperature_degrees_celsius: message
                .current_engine_coolant_temperature_degrees_celsius
                as u32,
            current_fuel_tank_level_percent: message.current_fuel_tank_level_percent as u32,
            current_ad_blue_tank_level_percent: message.current_ad_blue_tank_level_percent as u32,
            current_brake_air_pressure_circuit_one_kilopascal: message.current_brake_air_pressure_circuit_one_kilopascal
                as u32,
            current_brake_air_pressure_circuit_two_kilopascal: message.current_brake_air_pressure_circuit_two_kilopascal
                as u32,
            current_battery_voltage_millivolts: message.current_battery_voltage_millivolts as u32,
            distance_to_next_scheduled_service_metres: message.distance_to_next_scheduled_service_metres as u32,
            active_diagnostic_trouble_code_count: message.active_diagnostic_trouble_code_count as u32,
        }
    }
}

impl From<&TyreMonitoringMeasurement> for thrift::TyreMonitoringMeasurement {
    fn from(message: &TyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number as i32,
            wheel_position_number: message.wheel_position_number as i32,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal as i32,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius as i32,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second as i32,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<thrift::TyreMonitoringMeasurement> for TyreMonitoringMeasurement {
    fn from(message: thrift::TyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number as u32,
            wheel_position_number: message.wheel_position_number as u32,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal as u32,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius as u32,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second as u32,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<&VehicleSpeedClassStatistic> for thrift::VehicleSpeedClassStatistic {
    fn from(message: &VehicleSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary as i32,
            class_upper_boundary: message.class_upper_boundary as i32,
            accumulated_duration_seconds: message.accumulated_duration_seconds as i32,
            accumulated_distance_metres: message.accumulated_distance_metres as i32,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres as i32,
        }
    }
}

impl From<thrift::VehicleSpeedClassStatistic> for VehicleSpeedClassStatistic {
    fn from(message: thrift::VehicleSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary as u32,
            class_upper_boundary: message.class_upper_boundary as u32,
            accumulated_duration_seconds: message.accumulated_duration_seconds as u32,
            accumulated_distance_metres: message.accumulated_distance_metres as u32,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres as u32,
        }
    }
}

impl From<&EngineSpeedClassStatistic> for thrift::EngineSpeedClassStatistic {
    fn from(message: &EngineSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary as i32,
            class_upper_boundary: message.class_upper_boundary as i32,
            accumulated_duration_seconds: message.accumulated_duration_seconds as i32,
            accumulated_distance_metres: message.accumulated_distance_metres as i32,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres as i32,
        }
    }
}

impl From<thrift::EngineSpeedClassStatistic> for EngineSpeedClassStatistic {
    fn from(message: thrift::EngineSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary as u32,
            class_upper_boundary: message.class_upper_boundary as u32,
            accumulated_duration_seconds: message.accumulated_duration_seconds as u32,
            accumulated_distance_metres: message.accumulated_distance_metres as u32,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres as u32,
        }
    }
}

impl From<&EngineTorqueClassStatistic> for thrift::EngineTorqueClassStatistic {
    fn from(message: &EngineTorqueClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary as i32,
            class_upper_boundary: message.class_upper_boundary as i32,
            accumulated_duration_seconds: message.accumulated_duration_seconds as i32,
            accumulated_distance_metres: message.accumulated_distance_metres as i32,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres as i32,
        }
    }
}

impl From<thrift::EngineTorqueClassStatistic> for EngineTorqueClassStatistic {
    fn from(message: thrift::EngineTorqueClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary as u32,
            class_upper_boundary: message.class_upper_boundary as u32,
            accumulated_duration_seconds: message.accumulated_duration_seconds as u32,
            accumulated_distance_metres: message.accumulated_distance_metres as u32,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres as u32,
        }
    }
}

impl From<&TrailerSwitchStates> for thrift::TrailerSwitchStates {
    fn from(message: &TrailerSwitchStates) -> Self {
        Self {
            trailer_braking_system_connected: message.trailer_braking_system_connected,
            trailer_braking_system_warning_active: message.trailer_braking_system_warning_active,
            trailer_braking_system_failure_detected: message.trailer_braking_system_failure_detected,
            trailer_lift_axle_connected: message.trailer_lift_axle_connected,
            trailer_lift_axle_warning_active: message.trailer_lift_axle_warning_active,
            trailer_lift_axle_failure_detected: message.trailer_lift_axle_failure_detected,
            trailer_cooling_unit_connected: message.trailer_cooling_unit_connected,
            trailer_cooling_unit_warning_active: message.trailer_cooling_unit_warning_active,
            trailer_cooling_unit_failure_detected: message.trailer_cooling_unit_failure_detected,
            trailer_rear_door_connected: message.trailer_rear_door_connected,
            trailer_rear_door_warning_active: message.trailer_rear_door_warning_active,
            trailer_rear_door_failure_detected: message.trailer_rear_door_failure_detected,
        }
    }
}

impl From<thrift::TrailerSwitchStates> for TrailerSwitchStates {
    fn from(message: thrift::TrailerSwitchStates) -> Self {
        Self {
            trailer_braking_system_connected: message.trailer_braking_system_connected,
            trailer_braking_system_warning_active: message.trailer_braking_system_warning_active,
            trailer_braking_system_failure_detected: message.trailer_braking_system_failure_detected,
            trailer_lift_axle_connected: message.trailer_lift_axle_connected,
            trailer_lift_axle_warning_active: message.trailer_lift_axle_warning_active,
            trailer_lift_axle_failure_detected: message.trailer_lift_axle_failure_detected,
            trailer_cooling_unit_connected: message.trailer_cooling_unit_connected,
            trailer_cooling_unit_warning_active: message.trailer_cooling_unit_warning_active,
            trailer_cooling_unit_failure_detected: message.trailer_cooling_unit_failure_detected,
            trailer_rear_door_connected: message.trailer_rear_door_connected,
            trailer_rear_door_warning_active: message.trailer_rear_door_warning_active,
            trailer_rear_door_failure_detected: message.trailer_rear_door_failure_detected,
        }
    }
}

impl From<&TrailerTyreMonitoringMeasurement> for thrift::TrailerTyreMonitoringMeasurement {
    fn from(message: &TrailerTyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number as i32,
            wheel_position_number: message.wheel_position_number as i32,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal as i32,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius as i32,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second as i32,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<thrift::TrailerTyreMonitoringMeasurement> for TrailerTyreMonitoringMeasurement {
    fn from(message: thrift::TrailerTyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number as u32,
            wheel_position_number: message.wheel_position_number as u32,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal as u32,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius as u32,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second as u32,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<&ConnectedTrailerInformation> for thrift::ConnectedTrailerInformation {
    fn from(message: &ConnectedTrailerInformation) -> Self {
        Self {
            trailer_vehicle_identification_number: message.trailer_vehicle_identification_number.clone(),
            trailer_axle_load_kilograms: message
                .trailer_axle_load_kilograms
                .iter()
                .map(|number| *number as i32)
                .collect(),
            trailer_switch_states: (&message.trailer_switch_states).into(),
            trailer_tyre_monitoring_measurements: message
                .trailer_tyre_monitoring_measurements
                .iter()
                .map(Into::into)
                .collect(),
        }
    }
}

impl From<thrift::ConnectedTrailerInformation> for ConnectedTrailerInformation {
    fn from(message: thrift::ConnectedTrailerInformation) -> Self {
        Self {
            trailer_vehicle_identification_number: message.trailer_vehicle_identification_number,
            trailer_axle_load_kilograms: message
                .trailer_axle_load_kilograms
                .into_iter()
                .map(|number| number as u32)
                .collect(),
            trailer_switch_states: message.trailer_switch_states.into(),
            trailer_tyre_monitoring_measurements: message
                .trailer_tyre_monitoring_measurements
                .into_iter()
                .map(Into::into)
                .collect(),
        }
    }
}

impl From<&VehicleStatus> for thrift::VehicleStatus {
    fn from(message: &VehicleStatus) -> Self {
        Self {
            message_sequence_number: message.message_sequence_number as i32,
            vehicle_identification_number: message.vehicle_identification_number.clone(),
            message_created_date_time: message.message_created_date_time.clone(),
            message_received_date_time: message.message_received_date_time.clone(),
            message_trigger_type: message.message_trigger_type.clone(),
            current_geographical_position: (&message.current_geographical_position).into(),
            current_driver_information: message.current_driver_information.as_ref().map(Into::into),
            telltale_indicator_states: (&message.telltale_indicator_states).into(),
            accumulated_vehicle_counters: message.accumulated_vehicle_counters.as_ref().map(Into::into),
            tyre_monitoring_measurements: message
                .tyre_monitoring_measurements
                .as_ref()
                .map(|all| all.iter().map(Into::into).collect()),
            vehicle_speed_class_statistics: message
                .vehicle_speed_class_statistics
                .as_ref()
                .map(|all| all.iter().map(Into::into).collect()),
            engine_speed_class_statistics: message
                .engine_speed_class_statistics
                .as_ref()
                .map(|all| all.iter().map(Into::into).collect()),
            engine_torque_class_statistics: message
                .engine_torque_class_statistics
                .as_ref()
                .map(|all| all.iter().map(Into::into).collect()),
            connected_trailer_information: message.connected_trailer_information.as_ref().map(Into::into),
        }
    }
}

impl From<thrift::VehicleStatus> for VehicleStatus {
    fn from(message: thrift::VehicleStatus) -> Self {
        Self {
            message_sequence_number: message.message_sequence_number as u32,
            vehicle_identification_number: message.vehicle_identification_number,
            message_created_date_time: message.message_created_date_time,
            message_received_date_time: message.message_received_date_time,
            message_trigger_type: message.message_trigger_type,
            current_geographical_position: message.current_geographical_position.into(),
            current_driver_information: message.current_driver_information.map(Into::into),
            telltale_indicator_states: message.telltale_indicator_states.into(),
            accumulated_vehicle_counters: message.accumulated_vehicle_counters.map(Into::into),
            tyre_monitoring_measurements: message
                .tyre_monitoring_measurements
                .map(|all| all.into_iter().map(Into::into).collect()),
            vehicle_speed_class_statistics: message
                .vehicle_speed_class_statistics
                .map(|all| all.into_iter().map(Into::into).collect()),
            engine_speed_class_statistics: message
                .engine_speed_class_statistics
                .map(|all| all.into_iter().map(Into::into).collect()),
            engine_torque_class_statistics: message
                .engine_torque_class_statistics
                .map(|all| all.into_iter().map(Into::into).collect()),
            connected_trailer_information: message.connected_trailer_information.map(Into::into),
        }
    }
}
