//! Between the application's messages and those of the ASN.1 schema.

use crate::message::*;
use crate::uper_schema as asn1;
use crate::uper_schema::Scaled;

impl From<&CurrentGeographicalPosition> for asn1::CurrentGeographicalPosition {
    fn from(message: &CurrentGeographicalPosition) -> Self {
        Self {
            position_latitude_degrees: Scaled::from(message.position_latitude_degrees),
            position_longitude_degrees: Scaled::from(message.position_longitude_degrees),
            position_altitude_metres: message.position_altitude_metres,
            position_heading_degrees: message.position_heading_degrees,
            position_speed_kilometres_per_hour: message.position_speed_kilometres_per_hour,
            position_fix_date_time: message.position_fix_date_time.clone(),
        }
    }
}

impl From<asn1::CurrentGeographicalPosition> for CurrentGeographicalPosition {
    fn from(message: asn1::CurrentGeographicalPosition) -> Self {
        Self {
            position_latitude_degrees: f64::from(&message.position_latitude_degrees),
            position_longitude_degrees: f64::from(&message.position_longitude_degrees),
            position_altitude_metres: message.position_altitude_metres,
            position_heading_degrees: message.position_heading_degrees,
            position_speed_kilometres_per_hour: message.position_speed_kilometres_per_hour,
            position_fix_date_time: message.position_fix_date_time,
        }
    }
}

impl From<&CurrentDriverInformation> for asn1::CurrentDriverInformation {
    fn from(message: &CurrentDriverInformation) -> Self {
        Self {
            driver_card_identification: message.driver_card_identification.clone(),
            driver_working_state: message.driver_working_state.clone(),
            driver_card_inserted: message.driver_card_inserted,
            driver_time_related_warning_state: message.driver_time_related_warning_state,
            driver_continuous_driving_time_seconds: message.driver_continuous_driving_time_seconds,
            driver_cumulative_break_time_seconds: message.driver_cumulative_break_time_seconds,
        }
    }
}

impl From<asn1::CurrentDriverInformation> for CurrentDriverInformation {
    fn from(message: asn1::CurrentDriverInformation) -> Self {
        Self {
            driver_card_identification: message.driver_card_identification,
            driver_working_state: message.driver_working_state,
            driver_card_inserted: message.driver_card_inserted,
            driver_time_related_warning_state: message.driver_time_related_warning_state,
            driver_continuous_driving_time_seconds: message.driver_continuous_driving_time_seconds,
            driver_cumulative_break_time_seconds: message.driver_cumulative_break_time_seconds,
        }
    }
}

impl From<&TelltaleIndicatorStates> for asn1::TelltaleIndicatorStates {
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

impl From<asn1::TelltaleIndicatorStates> for TelltaleIndicatorStates {
    fn from(message: asn1::TelltaleIndicatorStates) -> Self {
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

impl From<&AccumulatedVehicleCounters> for asn1::AccumulatedVehicleCounters {
    fn from(message: &AccumulatedVehicleCounters) -> Self {
        Self {
            total_vehicle_distance_metres: message.total_vehicle_distance_metres,
            total_engine_operating_time_seconds: message.total_engine_operating_time_seconds,
            total_engine_fuel_consumption_millilitres: message.total_engine_fuel_consumption_millilitres,
            total_idle_fuel_consumption_millilitres: message.total_idle_fuel_consumption_millilitres,
            total_ad_blue_consumption_millilitres: message.total_ad_blue_consumption_millilitres,
            total_power_take_off_active_time_seconds: message.total_power_take_off_active_time_seconds,
            total_power_take_off_fuel_consumption_millilitres: message
                .total_power_take_off_fuel_consumption_millilitres,
            total_cruise_control_active_time_seconds: message.total_cruise_control_active_time_seconds,
            total_cruise_control_distance_metres: message.total_cruise_control_distance_metres,
            total_eco_roll_active_time_seconds: message.total_eco_roll_active_time_seconds,
            total_retarder_braking_time_seconds: message.total_retarder_braking_time_seconds,
            total_service_brake_application_count: message.total_service_brake_application_count,
            total_harsh_braking_event_count: message.total_harsh_braking_event_count,
            total_harsh_acceleration_event_count: message.total_harsh_acceleration_event_count,
            total_harsh_cornering_event_count: message.total_harsh_cornering_event_count,
            total_engine_start_count: message.total_engine_start_count,
            total_parking_brake_application_count: message.total_parking_brake_application_count,
            total_gear_shift_count: message.total_gear_shift_count,
            total_door_opening_count: message.total_door_opening_count,
            total_lane_departure_warning_count: message.total_lane_departure_warning_count,
            total_forward_collision_warning_count: message.total_forward_collision_warning_count,
            total_driver_attention_warning_count: message.total_driver_attention_warning_count,
            total_particulate_filter_regeneration_count: message.total_particulate_filter_regeneration_count,
            total_differential_lock_active_time_seconds: message.total_differential_lock_active_time_seconds,
            gross_combination_vehicle_weight_kilograms: message.gross_combination_vehicle_weight_kilograms,
            current_engine_speed_revolutions_per_minute: message.current_engine_speed_revolutions_per_minute,
            current_engine_coolant_temperature_degrees_celsius: message
                .current_engine_coolant_temperature_degrees_celsius,
            current_fuel_tank_level_percent: message.current_fuel_tank_level_percent,
            current_ad_blue_tank_level_percent: message.current_ad_blue_tank_level_percent,
            current_brake_air_pressure_circuit_one_kilopascal: message
                .current_brake_air_pressure_circuit_one_kilopascal,
            current_brake_air_pressure_circuit_two_kilopascal: message
                .current_brake_air_pressure_circuit_two_kilopascal,
            current_battery_voltage_millivolts: message.current_battery_voltage_millivolts,
            distance_to_next_scheduled_service_metres: message.distance_to_next_scheduled_service_metres,
            active_diagnostic_trouble_code_count: message.active_diagnostic_trouble_code_count,
        }
    }
}

impl From<asn1::AccumulatedVehicleCounters> for AccumulatedVehicleCounters {
    fn from(message: asn1::AccumulatedVehicleCounters) -> Self {
        Self {
            total_vehicle_distance_metres: message.total_vehicle_distance_metres,
            total_engine_operating_time_seconds: message.total_engine_operating_time_seconds,
            total_engine_fuel_consumption_millilitres: message.total_engine_fuel_consumption_millilitres,
            total_idle_fuel_consumption_millilitres: message.total_idle_fuel_consumption_millilitres,
            total_ad_blue_consumption_millilitres: message.total_ad_blue_consumption_millilitres,
            total_power_take_off_active_time_seconds: message.total_power_take_off_active_time_seconds,
            total_power_take_off_fuel_consumption_millilitres: message
                .total_power_take_off_fuel_consumption_millilitres,
            total_cruise_control_active_time_seconds: message.total_cruise_control_active_time_seconds,
            total_cruise_control_distance_metres: message.total_cruise_control_distance_metres,
            total_eco_roll_active_time_seconds: message.total_eco_roll_active_time_seconds,
            total_retarder_braking_time_seconds: message.total_retarder_braking_time_seconds,
            total_service_brake_application_count: message.total_service_brake_application_count,
            total_harsh_braking_event_count: message.total_harsh_braking_event_count,
            total_harsh_acceleration_event_count: message.total_harsh_acceleration_event_count,
            total_harsh_cornering_event_count: message.total_harsh_cornering_event_count,
            total_engine_start_count: message.total_engine_start_count,
            total_parking_brake_application_count: message.total_parking_brake_application_count,
            total_gear_shift_count: message.total_gear_shift_count,
            total_door_opening_count: message.total_door_opening_count,
            total_lane_departure_warning_count: message.total_lane_departure_warning_count,
            total_forward_collision_warning_count: message.total_forward_collision_warning_count,
            total_driver_attention_warning_count: message.total_driver_attention_warning_count,
            total_particulate_filter_regeneration_count: message.total_particulate_filter_regeneration_count,
            total_differential_lock_active_time_seconds: message.total_differential_lock_active_time_seconds,
            gross_combination_vehicle_weight_kilograms: message.gross_combination_vehicle_weight_kilograms,
            current_engine_speed_revolutions_per_minute: message.current_engine_speed_revolutions_per_minute,
            current_engine_coolant_temperature_degrees_celsius: message
                .current_engine_coolant_temperature_degrees_celsius,
            current_fuel_tank_level_percent: message.current_fuel_tank_level_percent,
            current_ad_blue_tank_level_percent: message.current_ad_blue_tank_level_percent,
            current_brake_air_pressure_circuit_one_kilopascal: message
                .current_brake_air_pressure_circuit_one_kilopascal,
            current_brake_air_pressure_circuit_two_kilopascal: message
                .current_brake_air_pressure_circuit_two_kilopascal,
            current_battery_voltage_millivolts: message.current_battery_voltage_millivolts,
            distance_to_next_scheduled_service_metres: message.distance_to_next_scheduled_service_metres,
            active_diagnostic_trouble_code_count: message.active_diagnostic_trouble_code_count,
        }
    }
}

impl From<&TyreMonitoringMeasurement> for asn1::TyreMonitoringMeasurement {
    fn from(message: &TyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number,
            wheel_position_number: message.wheel_position_number,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<asn1::TyreMonitoringMeasurement> for TyreMonitoringMeasurement {
    fn from(message: asn1::TyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number,
            wheel_position_number: message.wheel_position_number,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<&VehicleSpeedClassStatistic> for asn1::VehicleSpeedClassStatistic {
    fn from(message: &VehicleSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary,
            class_upper_boundary: message.class_upper_boundary,
            accumulated_duration_seconds: message.accumulated_duration_seconds,
            accumulated_distance_metres: message.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres,
        }
    }
}

impl From<asn1::VehicleSpeedClassStatistic> for VehicleSpeedClassStatistic {
    fn from(message: asn1::VehicleSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary,
            class_upper_boundary: message.class_upper_boundary,
            accumulated_duration_seconds: message.accumulated_duration_seconds,
            accumulated_distance_metres: message.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres,
        }
    }
}

impl From<&EngineSpeedClassStatistic> for asn1::EngineSpeedClassStatistic {
    fn from(message: &EngineSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary,
            class_upper_boundary: message.class_upper_boundary,
            accumulated_duration_seconds: message.accumulated_duration_seconds,
            accumulated_distance_metres: message.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres,
        }
    }
}

impl From<asn1::EngineSpeedClassStatistic> for EngineSpeedClassStatistic {
    fn from(message: asn1::EngineSpeedClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary,
            class_upper_boundary: message.class_upper_boundary,
            accumulated_duration_seconds: message.accumulated_duration_seconds,
            accumulated_distance_metres: message.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres,
        }
    }
}

impl From<&EngineTorqueClassStatistic> for asn1::EngineTorqueClassStatistic {
    fn from(message: &EngineTorqueClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary,
            class_upper_boundary: message.class_upper_boundary,
            accumulated_duration_seconds: message.accumulated_duration_seconds,
            accumulated_distance_metres: message.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres,
        }
    }
}

impl From<asn1::EngineTorqueClassStatistic> for EngineTorqueClassStatistic {
    fn from(message: asn1::EngineTorqueClassStatistic) -> Self {
        Self {
            class_lower_boundary: message.class_lower_boundary,
            class_upper_boundary: message.class_upper_boundary,
            accumulated_duration_seconds: message.accumulated_duration_seconds,
            accumulated_distance_metres: message.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: message.accumulated_fuel_consumption_millilitres,
        }
    }
}

impl From<&TrailerSwitchStates> for asn1::TrailerSwitchStates {
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

impl From<asn1::TrailerSwitchStates> for TrailerSwitchStates {
    fn from(message: asn1::TrailerSwitchStates) -> Self {
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

impl From<&TrailerTyreMonitoringMeasurement> for asn1::TrailerTyreMonitoringMeasurement {
    fn from(message: &TrailerTyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number,
            wheel_position_number: message.wheel_position_number,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<asn1::TrailerTyreMonitoringMeasurement> for TrailerTyreMonitoringMeasurement {
    fn from(message: asn1::TrailerTyreMonitoringMeasurement) -> Self {
        Self {
            axle_position_number: message.axle_position_number,
            wheel_position_number: message.wheel_position_number,
            tyre_pressure_kilopascal: message.tyre_pressure_kilopascal,
            tyre_temperature_degrees_celsius: message.tyre_temperature_degrees_celsius,
            tyre_air_leakage_rate_pascal_per_second: message.tyre_air_leakage_rate_pascal_per_second,
            tyre_pressure_threshold_exceeded: message.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: message.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: message.tyre_sensor_signal_lost,
        }
    }
}

impl From<&ConnectedTrailerInformation> for asn1::ConnectedTrailerInformation {
    fn from(message: &ConnectedTrailerInformation) -> Self {
        Self {
            trailer_vehicle_identification_number: message.trailer_vehicle_identification_number.clone(),
            trailer_axle_load_kilograms: message.trailer_axle_load_kilograms.clone(),
            trailer_switch_states: (&message.trailer_switch_states).into(),
            trailer_tyre_monitoring_measurements: message
                .trailer_tyre_monitoring_measurements
                .iter()
                .map(Into::into)
                .collect(),
        }
    }
}

impl From<asn1::ConnectedTrailerInformation> for ConnectedTrailerInformation {
    fn from(message: asn1::ConnectedTrailerInformation) -> Self {
        Self {
            trailer_vehicle_identification_number: message.trailer_vehicle_identification_number,
            trailer_axle_load_kilograms: message.trailer_axle_load_kilograms,
            trailer_switch_states: message.trailer_switch_states.into(),
            trailer_tyre_monitoring_measurements: message
                .trailer_tyre_monitoring_measurements
                .into_iter()
                .map(Into::into)
                .collect(),
        }
    }
}

impl From<&VehicleStatus> for asn1::VehicleStatus {
    fn from(message: &VehicleStatus) -> Self {
        Self {
            message_sequence_number: message.message_sequence_number,
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

impl From<asn1::VehicleStatus> for VehicleStatus {
    fn from(message: asn1::VehicleStatus) -> Self {
        Self {
            message_sequence_number: message.message_sequence_number,
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
