//! Between the application's messages and Cap'n Proto's builders and readers.

use capnp::Result;

use crate::message::*;
use crate::schemas::structs_capnp as tables;

impl CurrentGeographicalPosition {
    pub fn write(&self, mut out: tables::current_geographical_position::Builder<'_>) {
        out.set_position_latitude_degrees(self.position_latitude_degrees);
        out.set_position_longitude_degrees(self.position_longitude_degrees);
        out.set_position_altitude_metres(self.position_altitude_metres);
        out.set_position_heading_degrees(self.position_heading_degrees);
        out.set_position_speed_kilometres_per_hour(self.position_speed_kilometres_per_hour);
        out.set_position_fix_date_time(&self.position_fix_date_time);
    }

    pub fn read(from: tables::current_geographical_position::Reader<'_>) -> Result<Self> {
        Ok(Self {
            position_latitude_degrees: from.get_position_latitude_degrees(),
            position_longitude_degrees: from.get_position_longitude_degrees(),
            position_altitude_metres: from.get_position_altitude_metres(),
            position_heading_degrees: from.get_position_heading_degrees(),
            position_speed_kilometres_per_hour: from.get_position_speed_kilometres_per_hour(),
            position_fix_date_time: from.get_position_fix_date_time()?.to_string()?,
        })
    }
}

impl CurrentDriverInformation {
    pub fn write(&self, mut out: tables::current_driver_information::Builder<'_>) {
        out.set_driver_card_identification(&self.driver_card_identification);
        out.set_driver_working_state(&self.driver_working_state);
        out.set_driver_card_inserted(self.driver_card_inserted);
        out.set_driver_time_related_warning_state(self.driver_time_related_warning_state);
        out.set_driver_continuous_driving_time_seconds(self.driver_continuous_driving_time_seconds);
        out.set_driver_cumulative_break_time_seconds(self.driver_cumulative_break_time_seconds);
    }

    pub fn read(from: tables::current_driver_information::Reader<'_>) -> Result<Self> {
        Ok(Self {
            driver_card_identification: from.get_driver_card_identification()?.to_string()?,
            driver_working_state: from.get_driver_working_state()?.to_string()?,
            driver_card_inserted: from.get_driver_card_inserted(),
            driver_time_related_warning_state: from.get_driver_time_related_warning_state(),
            driver_continuous_driving_time_seconds: from.get_driver_continuous_driving_time_seconds(),
            driver_cumulative_break_time_seconds: from.get_driver_cumulative_break_time_seconds(),
        })
    }
}

impl TelltaleIndicatorStates {
    pub fn write(&self, mut out: tables::telltale_indicator_states::Builder<'_>) {
        out.set_engine_oil_pressure_warning_active(self.engine_oil_pressure_warning_active);
        out.set_engine_oil_pressure_failure_detected(self.engine_oil_pressure_failure_detected);
        out.set_engine_oil_pressure_service_required(self.engine_oil_pressure_service_required);
        out.set_engine_coolant_temperature_warning_active(self.engine_coolant_temperature_warning_active);
        out.set_engine_coolant_temperature_failure_detected(self.engine_coolant_temperature_failure_detected);
        out.set_engine_coolant_temperature_service_required(self.engine_coolant_temperature_service_required);
        out.set_anti_lock_braking_system_warning_active(self.anti_lock_braking_system_warning_active);
        out.set_anti_lock_braking_system_failure_detected(self.anti_lock_braking_system_failure_detected);
        out.set_anti_lock_braking_system_service_required(self.anti_lock_braking_system_service_required);
        out.set_electronic_stability_control_warning_active(self.electronic_stability_control_warning_active);
        out.set_electronic_stability_control_failure_detected(self.electronic_stability_control_failure_detected);
        out.set_electronic_stability_control_service_required(self.electronic_stability_control_service_required);
        out.set_air_suspension_system_warning_active(self.air_suspension_system_warning_active);
        out.set_air_suspension_system_failure_detected(self.air_suspension_system_failure_detected);
        out.set_air_suspension_system_service_required(self.air_suspension_system_service_required);
        out.set_exhaust_aftertreatment_warning_active(self.exhaust_aftertreatment_warning_active);
        out.set_exhaust_aftertreatment_failure_detected(self.exhaust_aftertreatment_failure_detected);
        out.set_exhaust_aftertreatment_service_required(self.exhaust_aftertreatment_service_required);
        out.set_parking_brake_circuit_warning_active(self.parking_brake_circuit_warning_active);
        out.set_parking_brake_circuit_failure_detected(self.parking_brake_circuit_failure_detected);
        out.set_parking_brake_circuit_service_required(self.parking_brake_circuit_service_required);
        out.set_advanced_emergency_braking_warning_active(self.advanced_emergency_braking_warning_active);
        out.set_advanced_emergency_braking_failure_detected(self.advanced_emergency_braking_failure_detected);
        out.set_advanced_emergency_braking_service_required(self.advanced_emergency_braking_service_required);
    }

    pub fn read(from: tables::telltale_indicator_states::Reader<'_>) -> Result<Self> {
        Ok(Self {
            engine_oil_pressure_warning_active: from.get_engine_oil_pressure_warning_active(),
            engine_oil_pressure_failure_detected: from.get_engine_oil_pressure_failure_detected(),
            engine_oil_pressure_service_required: from.get_engine_oil_pressure_service_required(),
            engine_coolant_temperature_warning_active: from.get_engine_coolant_temperature_warning_active(),
            engine_coolant_temperature_failure_detected: from.get_engine_coolant_temperature_failure_detected(),
            engine_coolant_temperature_service_required: from.get_engine_coolant_temperature_service_required(),
            anti_lock_braking_system_warning_active: from.get_anti_lock_braking_system_warning_active(),
            anti_lock_braking_system_failure_detected: from.get_anti_lock_braking_system_failure_detected(),
            anti_lock_braking_system_service_required: from.get_anti_lock_braking_system_service_required(),
            electronic_stability_control_warning_active: from.get_electronic_stability_control_warning_active(),
            electronic_stability_control_failure_detected: from.get_electronic_stability_control_failure_detected(),
            electronic_stability_control_service_required: from.get_electronic_stability_control_service_required(),
            air_suspension_system_warning_active: from.get_air_suspension_system_warning_active(),
            air_suspension_system_failure_detected: from.get_air_suspension_system_failure_detected(),
            air_suspension_system_service_required: from.get_air_suspension_system_service_required(),
            exhaust_aftertreatment_warning_active: from.get_exhaust_aftertreatment_warning_active(),
            exhaust_aftertreatment_failure_detected: from.get_exhaust_aftertreatment_failure_detected(),
            exhaust_aftertreatment_service_required: from.get_exhaust_aftertreatment_service_required(),
            parking_brake_circuit_warning_active: from.get_parking_brake_circuit_warning_active(),
            parking_brake_circuit_failure_detected: from.get_parking_brake_circuit_failure_detected(),
            parking_brake_circuit_service_required: from.get_parking_brake_circuit_service_required(),
            advanced_emergency_braking_warning_active: from.get_advanced_emergency_braking_warning_active(),
            advanced_emergency_braking_failure_detected: from.get_advanced_emergency_braking_failure_detected(),
            advanced_emergency_braking_service_required: from.get_advanced_emergency_braking_service_required(),
        })
    }
}

impl AccumulatedVehicleCounters {
    pub fn write(&self, mut out: tables::accumulated_vehicle_counters::Builder<'_>) {
        out.set_total_vehicle_distance_metres(self.total_vehicle_distance_metres);
        out.set_total_engine_operating_time_seconds(self.total_engine_operating_time_seconds);
        out.set_total_engine_fuel_consumption_millilitres(self.total_engine_fuel_consumption_millilitres);
        out.set_total_idle_fuel_consumption_millilitres(self.total_idle_fuel_consumption_millilitres);
        out.set_total_ad_blue_consumption_millilitres(self.total_ad_blue_consumption_millilitres);
        out.set_total_power_take_off_active_time_seconds(self.total_power_take_off_active_time_seconds);
        out.set_total_power_take_off_fuel_consumption_millilitres(
            self.total_power_take_off_fuel_consumption_millilitres,
        );
        out.set_total_cruise_control_active_time_seconds(self.total_cruise_control_active_time_seconds);
        out.set_total_cruise_control_distance_metres(self.total_cruise_control_distance_metres);
        out.set_total_eco_roll_active_time_seconds(self.total_eco_roll_active_time_seconds);
        out.set_total_retarder_braking_time_seconds(self.total_retarder_braking_time_seconds);
        out.set_total_service_brake_application_count(self.total_service_brake_application_count);
        out.set_total_harsh_braking_event_count(self.total_harsh_braking_event_count);
        out.set_total_harsh_acceleration_event_count(self.total_harsh_acceleration_event_count);
        out.set_total_harsh_cornering_event_count(self.total_harsh_cornering_event_count);
        out.set_total_engine_start_count(self.total_engine_start_count);
        out.set_total_parking_brake_application_count(self.total_parking_brake_application_count);
        out.set_total_gear_shift_count(self.total_gear_shift_count);
        out.set_total_door_opening_count(self.total_door_opening_count);
        out.set_total_lane_departure_warning_count(self.total_lane_departure_warning_count);
        out.set_total_forward_collision_warning_count(self.total_forward_collision_warning_count);
        out.set_total_driver_attention_warning_count(self.total_driver_attention_warning_count);
        out.set_total_particulate_filter_regeneration_count(self.total_particulate_filter_regeneration_count);
        out.set_total_differential_lock_active_time_seconds(self.total_differential_lock_active_time_seconds);
        out.set_gross_combination_vehicle_weight_kilograms(self.gross_combination_vehicle_weight_kilograms);
        out.set_current_engine_speed_revolutions_per_minute(self.current_engine_speed_revolutions_per_minute);
        out.set_current_engine_coolant_temperature_degrees_celsius(
            self.current_engine_coolant_temperature_degrees_celsius,
        );
        out.set_current_fuel_tank_level_percent(self.current_fuel_tank_level_percent);
        out.set_current_ad_blue_tank_level_percent(self.current_ad_blue_tank_level_percent);
        out.set_current_brake_air_pressure_circuit_one_kilopascal(
            self.current_brake_air_pressure_circuit_one_kilopascal,
        );
        out.set_current_brake_air_pressure_circuit_two_kilopascal(
            self.current_brake_air_pressure_circuit_two_kilopascal,
        );
        out.set_current_battery_voltage_millivolts(self.current_battery_voltage_millivolts);
        out.set_distance_to_next_scheduled_service_metres(self.distance_to_next_scheduled_service_metres);
        out.set_active_diagnostic_trouble_code_count(self.active_diagnostic_trouble_code_count);
    }

    pub fn read(from: tables::accumulated_vehicle_counters::Reader<'_>) -> Result<Self> {
        Ok(Self {
            total_vehicle_distance_metres: from.get_total_vehicle_distance_metres(),
            total_engine_operating_time_seconds: from.get_total_engine_operating_time_seconds(),
            total_engine_fuel_consumption_millilitres: from.get_total_engine_fuel_consumption_millilitres(),
            total_idle_fuel_consumption_millilitres: from.get_total_idle_fuel_consumption_millilitres(),
            total_ad_blue_consumption_millilitres: from.get_total_ad_blue_consumption_millilitres(),
            total_power_take_off_active_time_seconds: from.get_total_power_take_off_active_time_seconds(),
            total_power_take_off_fuel_consumption_millilitres: from
                .get_total_power_take_off_fuel_consumption_millilitres(),
            total_cruise_control_active_time_seconds: from.get_total_cruise_control_active_time_seconds(),
            total_cruise_control_distance_metres: from.get_total_cruise_control_distance_metres(),
            total_eco_roll_active_time_seconds: from.get_total_eco_roll_active_time_seconds(),
            total_retarder_braking_time_seconds: from.get_total_retarder_braking_time_seconds(),
            total_service_brake_application_count: from.get_total_service_brake_application_count(),
            total_harsh_braking_event_count: from.get_total_harsh_braking_event_count(),
            total_harsh_acceleration_event_count: from.get_total_harsh_acceleration_event_count(),
            total_harsh_cornering_event_count: from.get_total_harsh_cornering_event_count(),
            total_engine_start_count: from.get_total_engine_start_count(),
            total_parking_brake_application_count: from.get_total_parking_brake_application_count(),
            total_gear_shift_count: from.get_total_gear_shift_count(),
            total_door_opening_count: from.get_total_door_opening_count(),
            total_lane_departure_warning_count: from.get_total_lane_departure_warning_count(),
            total_forward_collision_warning_count: from.get_total_forward_collision_warning_count(),
            total_driver_attention_warning_count: from.get_total_driver_attention_warning_count(),
            total_particulate_filter_regeneration_count: from.get_total_particulate_filter_regeneration_count(),
            total_differential_lock_active_time_seconds: from.get_total_differential_lock_active_time_seconds(),
            gross_combination_vehicle_weight_kilograms: from.get_gross_combination_vehicle_weight_kilograms(),
            current_engine_speed_revolutions_per_minute: from.get_current_engine_speed_revolutions_per_minute(),
            current_engine_coolant_temperature_degrees_celsius: from
                .get_current_engine_coolant_temperature_degrees_celsius(),
            current_fuel_tank_level_percent: from.get_current_fuel_tank_level_percent(),
            current_ad_blue_tank_level_percent: from.get_current_ad_blue_tank_level_percent(),
            current_brake_air_pressure_circuit_one_kilopascal: from
                .get_current_brake_air_pressure_circuit_one_kilopascal(),
            current_brake_air_pressure_circuit_two_kilopascal: from
                .get_current_brake_air_pressure_circuit_two_kilopascal(),
            current_battery_voltage_millivolts: from.get_current_battery_voltage_millivolts(),
            distance_to_next_scheduled_service_metres: from.get_distance_to_next_scheduled_service_metres(),
            active_diagnostic_trouble_code_count: from.get_active_diagnostic_trouble_code_count(),
        })
    }
}

impl TyreMonitoringMeasurement {
    pub fn write(&self, mut out: tables::tyre_monitoring_measurement::Builder<'_>) {
        out.set_axle_position_number(self.axle_position_number);
        out.set_wheel_position_number(self.wheel_position_number);
        out.set_tyre_pressure_kilopascal(self.tyre_pressure_kilopascal);
        out.set_tyre_temperature_degrees_celsius(self.tyre_temperature_degrees_celsius);
        out.set_tyre_air_leakage_rate_pascal_per_second(self.tyre_air_leakage_rate_pascal_per_second);
        out.set_tyre_pressure_threshold_exceeded(self.tyre_pressure_threshold_exceeded);
        out.set_tyre_sensor_battery_low(self.tyre_sensor_battery_low);
        out.set_tyre_sensor_signal_lost(self.tyre_sensor_signal_lost);
    }

    pub fn read(from: tables::tyre_monitoring_measurement::Reader<'_>) -> Result<Self> {
        Ok(Self {
            axle_position_number: from.get_axle_position_number(),
            wheel_position_number: from.get_wheel_position_number(),
            tyre_pressure_kilopascal: from.get_tyre_pressure_kilopascal(),
            tyre_temperature_degrees_celsius: from.get_tyre_temperature_degrees_celsius(),
            tyre_air_leakage_rate_pascal_per_second: from.get_tyre_air_leakage_rate_pascal_per_second(),
            tyre_pressure_threshold_exceeded: from.get_tyre_pressure_threshold_exceeded(),
            tyre_sensor_battery_low: from.get_tyre_sensor_battery_low(),
            tyre_sensor_signal_lost: from.get_tyre_sensor_signal_lost(),
        })
    }
}

impl VehicleSpeedClassStatistic {
    pub fn write(&self, mut out: tables::vehicle_speed_class_statistic::Builder<'_>) {
        out.set_class_lower_boundary(self.class_lower_boundary);
        out.set_class_upper_boundary(self.class_upper_boundary);
        out.set_accumulated_duration_seconds(self.accumulated_duration_seconds);
        out.set_accumulated_distance_metres(self.accumulated_distance_metres);
        out.set_accumulated_fuel_consumption_millilitres(self.accumulated_fuel_consumption_millilitres);
    }

    pub fn read(from: tables::vehicle_speed_class_statistic::Reader<'_>) -> Result<Self> {
        Ok(Self {
            class_lower_boundary: from.get_class_lower_boundary(),
            class_upper_boundary: from.get_class_upper_boundary(),
            accumulated_duration_seconds: from.get_accumulated_duration_seconds(),
            accumulated_distance_metres: from.get_accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: from.get_accumulated_fuel_consumption_millilitres(),
        })
    }
}

impl EngineSpeedClassStatistic {
    pub fn write(&self, mut out: tables::engine_speed_class_statistic::Builder<'_>) {
        out.set_class_lower_boundary(self.class_lower_boundary);
        out.set_class_upper_boundary(self.class_upper_boundary);
        out.set_accumulated_duration_seconds(self.accumulated_duration_seconds);
        out.set_accumulated_distance_metres(self.accumulated_distance_metres);
        out.set_accumulated_fuel_consumption_millilitres(self.accumulated_fuel_consumption_millilitres);
    }

    pub fn read(from: tables::engine_speed_class_statistic::Reader<'_>) -> Result<Self> {
        Ok(Self {
            class_lower_boundary: from.get_class_lower_boundary(),
            class_upper_boundary: from.get_class_upper_boundary(),
            accumulated_duration_seconds: from.get_accumulated_duration_seconds(),
            accumulated_distance_metres: from.get_accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: from.get_accumulated_fuel_consumption_millilitres(),
        })
    }
}

impl EngineTorqueClassStatistic {
    pub fn write(&self, mut out: tables::engine_torque_class_statistic::Builder<'_>) {
        out.set_class_lower_boundary(self.class_lower_boundary);
        out.set_class_upper_boundary(self.class_upper_boundary);
        out.set_accumulated_duration_seconds(self.accumulated_duration_seconds);
        out.set_accumulated_distance_metres(self.accumulated_distance_metres);
        out.set_accumulated_fuel_consumption_millilitres(self.accumulated_fuel_consumption_millilitres);
    }

    pub fn read(from: tables::engine_torque_class_statistic::Reader<'_>) -> Result<Self> {
        Ok(Self {
            class_lower_boundary: from.get_class_lower_boundary(),
            class_upper_boundary: from.get_class_upper_boundary(),
            accumulated_duration_seconds: from.get_accumulated_duration_seconds(),
            accumulated_distance_metres: from.get_accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: from.get_accumulated_fuel_consumption_millilitres(),
        })
    }
}

impl TrailerSwitchStates {
    pub fn write(&self, mut out: tables::trailer_switch_states::Builder<'_>) {
        out.set_trailer_braking_system_connected(self.trailer_braking_system_connected);
        out.set_trailer_braking_system_warning_active(self.trailer_braking_system_warning_active);
        out.set_trailer_braking_system_failure_detected(self.trailer_braking_system_failure_detected);
        out.set_trailer_lift_axle_connected(self.trailer_lift_axle_connected);
        out.set_trailer_lift_axle_warning_active(self.trailer_lift_axle_warning_active);
        out.set_trailer_lift_axle_failure_detected(self.trailer_lift_axle_failure_detected);
        out.set_trailer_cooling_unit_connected(self.trailer_cooling_unit_connected);
        out.set_trailer_cooling_unit_warning_active(self.trailer_cooling_unit_warning_active);
        out.set_trailer_cooling_unit_failure_detected(self.trailer_cooling_unit_failure_detected);
        out.set_trailer_rear_door_connected(self.trailer_rear_door_connected);
        out.set_trailer_rear_door_warning_active(self.trailer_rear_door_warning_active);
        out.set_trailer_rear_door_failure_detected(self.trailer_rear_door_failure_detected);
    }

    pub fn read(from: tables::trailer_switch_states::Reader<'_>) -> Result<Self> {
        Ok(Self {
            trailer_braking_system_connected: from.get_trailer_braking_system_connected(),
            trailer_braking_system_warning_active: from.get_trailer_braking_system_warning_active(),
            trailer_braking_system_failure_detected: from.get_trailer_braking_system_failure_detected(),
            trailer_lift_axle_connected: from.get_trailer_lift_axle_connected(),
            trailer_lift_axle_warning_active: from.get_trailer_lift_axle_warning_active(),
            trailer_lift_axle_failure_detected: from.get_trailer_lift_axle_failure_detected(),
            trailer_cooling_unit_connected: from.get_trailer_cooling_unit_connected(),
            trailer_cooling_unit_warning_active: from.get_trailer_cooling_unit_warning_active(),
            trailer_cooling_unit_failure_detected: from.get_trailer_cooling_unit_failure_detected(),
            trailer_rear_door_connected: from.get_trailer_rear_door_connected(),
            trailer_rear_door_warning_active: from.get_trailer_rear_door_warning_active(),
            trailer_rear_door_failure_detected: from.get_trailer_rear_door_failure_detected(),
        })
    }
}

impl TrailerTyreMonitoringMeasurement {
    pub fn write(&self, mut out: tables::trailer_tyre_monitoring_measurement::Builder<'_>) {
        out.set_axle_position_number(self.axle_position_number);
        out.set_wheel_position_number(self.wheel_position_number);
        out.set_tyre_pressure_kilopascal(self.tyre_pressure_kilopascal);
        out.set_tyre_temperature_degrees_celsius(self.tyre_temperature_degrees_celsius);
        out.set_tyre_air_leakage_rate_pascal_per_second(self.tyre_air_leakage_rate_pascal_per_second);
        out.set_tyre_pressure_threshold_exceeded(self.tyre_pressure_threshold_exceeded);
        out.set_tyre_sensor_battery_low(self.tyre_sensor_battery_low);
        out.set_tyre_sensor_signal_lost(self.tyre_sensor_signal_lost);
    }

    pub fn read(from: tables::trailer_tyre_monitoring_measurement::Reader<'_>) -> Result<Self> {
        Ok(Self {
            axle_position_number: from.get_axle_position_number(),
            wheel_position_number: from.get_wheel_position_number(),
            tyre_pressure_kilopascal: from.get_tyre_pressure_kilopascal(),
            tyre_temperature_degrees_celsius: from.get_tyre_temperature_degrees_celsius(),
            tyre_air_leakage_rate_pascal_per_second: from.get_tyre_air_leakage_rate_pascal_per_second(),
            tyre_pressure_threshold_exceeded: from.get_tyre_pressure_threshold_exceeded(),
            tyre_sensor_battery_low: from.get_tyre_sensor_battery_low(),
            tyre_sensor_signal_lost: from.get_tyre_sensor_signal_lost(),
        })
    }
}

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
