//! Between the application's messages and those of Google's Protobuf crate.

use protobuf::{ProtoStr, Utf8Error};

use crate::message::*;
use crate::schemas::structs_proto as upb;

fn text(from: &ProtoStr) -> Result<String, Utf8Error> {
    Ok(from.to_str()?.to_owned())
}

impl CurrentGeographicalPosition {
    pub fn fill(&self, mut out: upb::CurrentGeographicalPositionMut<'_>) {
        out.set_position_latitude_degrees(self.position_latitude_degrees);
        out.set_position_longitude_degrees(self.position_longitude_degrees);
        out.set_position_altitude_metres(self.position_altitude_metres);
        out.set_position_heading_degrees(self.position_heading_degrees);
        out.set_position_speed_kilometres_per_hour(self.position_speed_kilometres_per_hour);
        out.set_position_fix_date_time(self.position_fix_date_time.as_str());
    }

    pub fn of(from: upb::CurrentGeographicalPositionView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            position_latitude_degrees: from.position_latitude_degrees(),
            position_longitude_degrees: from.position_longitude_degrees(),
            position_altitude_metres: from.position_altitude_metres(),
            position_heading_degrees: from.position_heading_degrees(),
            position_speed_kilometres_per_hour: from.position_speed_kilometres_per_hour(),
            position_fix_date_time: text(from.position_fix_date_time())?,
        })
    }
}

impl CurrentDriverInformation {
    pub fn fill(&self, mut out: upb::CurrentDriverInformationMut<'_>) {
        out.set_driver_card_identification(self.driver_card_identification.as_str());
        out.set_driver_working_state(self.driver_working_state.as_str());
        out.set_driver_card_inserted(self.driver_card_inserted);
        out.set_driver_time_related_warning_state(self.driver_time_related_warning_state);
        out.set_driver_continuous_driving_time_seconds(self.driver_continuous_driving_time_seconds);
        out.set_driver_cumulative_break_time_seconds(self.driver_cumulative_break_time_seconds);
    }

    pub fn of(from: upb::CurrentDriverInformationView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            driver_card_identification: text(from.driver_card_identification())?,
            driver_working_state: text(from.driver_working_state())?,
            driver_card_inserted: from.driver_card_inserted(),
            driver_time_related_warning_state: from.driver_time_related_warning_state(),
            driver_continuous_driving_time_seconds: from.driver_continuous_driving_time_seconds(),
            driver_cumulative_break_time_seconds: from.driver_cumulative_break_time_seconds(),
        })
    }
}

impl TelltaleIndicatorStates {
    pub fn fill(&self, mut out: upb::TelltaleIndicatorStatesMut<'_>) {
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

    pub fn of(from: upb::TelltaleIndicatorStatesView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            engine_oil_pressure_warning_active: from.engine_oil_pressure_warning_active(),
            engine_oil_pressure_failure_detected: from.engine_oil_pressure_failure_detected(),
            engine_oil_pressure_service_required: from.engine_oil_pressure_service_required(),
            engine_coolant_temperature_warning_active: from.engine_coolant_temperature_warning_active(),
            engine_coolant_temperature_failure_detected: from.engine_coolant_temperature_failure_detected(),
            engine_coolant_temperature_service_required: from.engine_coolant_temperature_service_required(),
            anti_lock_braking_system_warning_active: from.anti_lock_braking_system_warning_active(),
            anti_lock_braking_system_failure_detected: from.anti_lock_braking_system_failure_detected(),
            anti_lock_braking_system_service_required: from.anti_lock_braking_system_service_required(),
            electronic_stability_control_warning_active: from.electronic_stability_control_warning_active(),
            electronic_stability_control_failure_detected: from.electronic_stability_control_failure_detected(),
            electronic_stability_control_service_required: from.electronic_stability_control_service_required(),
            air_suspension_system_warning_active: from.air_suspension_system_warning_active(),
            air_suspension_system_failure_detected: from.air_suspension_system_failure_detected(),
            air_suspension_system_service_required: from.air_suspension_system_service_required(),
            exhaust_aftertreatment_warning_active: from.exhaust_aftertreatment_warning_active(),
            exhaust_aftertreatment_failure_detected: from.exhaust_aftertreatment_failure_detected(),
            exhaust_aftertreatment_service_required: from.exhaust_aftertreatment_service_required(),
            parking_brake_circuit_warning_active: from.parking_brake_circuit_warning_active(),
            parking_brake_circuit_failure_detected: from.parking_brake_circuit_failure_detected(),
            parking_brake_circuit_service_required: from.parking_brake_circuit_service_required(),
            advanced_emergency_braking_warning_active: from.advanced_emergency_braking_warning_active(),
            advanced_emergency_braking_failure_detected: from.advanced_emergency_braking_failure_detected(),
            advanced_emergency_braking_service_required: from.advanced_emergency_braking_service_required(),
        })
    }
}

impl AccumulatedVehicleCounters {
    pub fn fill(&self, mut out: upb::AccumulatedVehicleCountersMut<'_>) {
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

    pub fn of(from: upb::AccumulatedVehicleCountersView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            total_vehicle_distance_metres: from.total_vehicle_distance_metres(),
            total_engine_operating_time_seconds: from.total_engine_operating_time_seconds(),
            total_engine_fuel_consumption_millilitres: from.total_engine_fuel_consumption_millilitres(),
            total_idle_fuel_consumption_millilitres: from.total_idle_fuel_consumption_millilitres(),
            total_ad_blue_consumption_millilitres: from.total_ad_blue_consumption_millilitres(),
            total_power_take_off_active_time_seconds: from.total_power_take_off_active_time_seconds(),
            total_power_take_off_fuel_consumption_millilitres: from.total_power_take_off_fuel_consumption_millilitres(),
            total_cruise_control_active_time_seconds: from.total_cruise_control_active_time_seconds(),
            total_cruise_control_distance_metres: from.total_cruise_control_distance_metres(),
            total_eco_roll_active_time_seconds: from.total_eco_roll_active_time_seconds(),
            total_retarder_braking_time_seconds: from.total_retarder_braking_time_seconds(),
            total_service_brake_application_count: from.total_service_brake_application_count(),
            total_harsh_braking_event_count: from.total_harsh_braking_event_count(),
            total_harsh_acceleration_event_count: from.total_harsh_acceleration_event_count(),
            total_harsh_cornering_event_count: from.total_harsh_cornering_event_count(),
            total_engine_start_count: from.total_engine_start_count(),
            total_parking_brake_application_count: from.total_parking_brake_application_count(),
            total_gear_shift_count: from.total_gear_shift_count(),
            total_door_opening_count: from.total_door_opening_count(),
            total_lane_departure_warning_count: from.total_lane_departure_warning_count(),
            total_forward_collision_warning_count: from.total_forward_collision_warning_count(),
            total_driver_attention_warning_count: from.total_driver_attention_warning_count(),
            total_particulate_filter_regeneration_count: from.total_particulate_filter_regeneration_count(),
            total_differential_lock_active_time_seconds: from.total_differential_lock_active_time_seconds(),
            gross_combination_vehicle_weight_kilograms: from.gross_combination_vehicle_weight_kilograms(),
            current_engine_speed_revolutions_per_minute: from.current_engine_speed_revolutions_per_minute(),
            current_engine_coolant_temperature_degrees_celsius: from
                .current_engine_coolant_temperature_degrees_celsius(),
            current_fuel_tank_level_percent: from.current_fuel_tank_level_percent(),
            current_ad_blue_tank_level_percent: from.current_ad_blue_tank_level_percent(),
            current_brake_air_pressure_circuit_one_kilopascal: from.current_brake_air_pressure_circuit_one_kilopascal(),
            current_brake_air_pressure_circuit_two_kilopascal: from.current_brake_air_pressure_circuit_two_kilopascal(),
            current_battery_voltage_millivolts: from.current_battery_voltage_millivolts(),
            distance_to_next_scheduled_service_metres: from.distance_to_next_scheduled_service_metres(),
            active_diagnostic_trouble_code_count: from.active_diagnostic_trouble_code_count(),
        })
    }
}

impl TyreMonitoringMeasurement {
    pub fn fill(&self, mut out: upb::TyreMonitoringMeasurementMut<'_>) {
        out.set_axle_position_number(self.axle_position_number);
        out.set_wheel_position_number(self.wheel_position_number);
        out.set_tyre_pressure_kilopascal(self.tyre_pressure_kilopascal);
        out.set_tyre_temperature_degrees_celsius(self.tyre_temperature_degrees_celsius);
        out.set_tyre_air_leakage_rate_pascal_per_second(self.tyre_air_leakage_rate_pascal_per_second);
        out.set_tyre_pressure_threshold_exceeded(self.tyre_pressure_threshold_exceeded);
        out.set_tyre_sensor_battery_low(self.tyre_sensor_battery_low);
        out.set_tyre_sensor_signal_lost(self.tyre_sensor_signal_lost);
    }

    pub fn of(from: upb::TyreMonitoringMeasurementView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            axle_position_number: from.axle_position_number(),
            wheel_position_number: from.wheel_position_number(),
            tyre_pressure_kilopascal: from.tyre_pressure_kilopascal(),
            tyre_temperature_degrees_celsius: from.tyre_temperature_degrees_celsius(),
            tyre_air_leakage_rate_pascal_per_second: from.tyre_air_leakage_rate_pascal_per_second(),
            tyre_pressure_threshold_exceeded: from.tyre_pressure_threshold_exceeded(),
            tyre_sensor_battery_low: from.tyre_sensor_battery_low(),
            tyre_sensor_signal_lost: from.tyre_sensor_signal_lost(),
        })
    }
}

impl VehicleSpeedClassStatistic {
    pub fn fill(&self, mut out: upb::VehicleSpeedClassStatisticMut<'_>) {
        out.set_class_lower_boundary(self.class_lower_boundary);
        out.set_class_upper_boundary(self.class_upper_boundary);
        out.set_accumulated_duration_seconds(self.accumulated_duration_seconds);
        out.set_accumulated_distance_metres(self.accumulated_distance_metres);
        out.set_accumulated_fuel_consumption_millilitres(self.accumulated_fuel_consumption_millilitres);
    }

    pub fn of(from: upb::VehicleSpeedClassStatisticView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            class_lower_boundary: from.class_lower_boundary(),
            class_upper_boundary: from.class_upper_boundary(),
            accumulated_duration_seconds: from.accumulated_duration_seconds(),
            accumulated_distance_metres: from.accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: from.accumulated_fuel_consumption_millilitres(),
        })
    }
}

impl EngineSpeedClassStatistic {
    pub fn fill(&self, mut out: upb::EngineSpeedClassStatisticMut<'_>) {
        out.set_class_lower_boundary(self.class_lower_boundary);
        out.set_class_upper_boundary(self.class_upper_boundary);
        out.set_accumulated_duration_seconds(self.accumulated_duration_seconds);
        out.set_accumulated_distance_metres(self.accumulated_distance_metres);
        out.set_accumulated_fuel_consumption_millilitres(self.accumulated_fuel_consumption_millilitres);
    }

    pub fn of(from: upb::EngineSpeedClassStatisticView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            class_lower_boundary: from.class_lower_boundary(),
            class_upper_boundary: from.class_upper_boundary(),
            accumulated_duration_seconds: from.accumulated_duration_seconds(),
            accumulated_distance_metres: from.accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: from.accumulated_fuel_consumption_millilitres(),
        })
    }
}

impl EngineTorqueClassStatistic {
    pub fn fill(&self, mut out: upb::EngineTorqueClassStatisticMut<'_>) {
        out.set_class_lower_boundary(self.class_lower_boundary);
        out.set_class_upper_boundary(self.class_upper_boundary);
        out.set_accumulated_duration_seconds(self.accumulated_duration_seconds);
        out.set_accumulated_distance_metres(self.accumulated_distance_metres);
        out.set_accumulated_fuel_consumption_millilitres(self.accumulated_fuel_consumption_millilitres);
    }

    pub fn of(from: upb::EngineTorqueClassStatisticView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            class_lower_boundary: from.class_lower_boundary(),
            class_upper_boundary: from.class_upper_boundary(),
            accumulated_duration_seconds: from.accumulated_duration_seconds(),
            accumulated_distance_metres: from.accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: from.accumulated_fuel_consumption_millilitres(),
        })
    }
}

impl TrailerSwitchStates {
    pub fn fill(&self, mut out: upb::TrailerSwitchStatesMut<'_>) {
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

    pub fn of(from: upb::TrailerSwitchStatesView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            trailer_braking_system_connected: from.trailer_braking_system_connected(),
            trailer_braking_system_warning_active: from.trailer_braking_system_warning_active(),
            trailer_braking_system_failure_detected: from.trailer_braking_system_failure_detected(),
            trailer_lift_axle_connected: from.trailer_lift_axle_connected(),
            trailer_lift_axle_warning_active: from.trailer_lift_axle_warning_active(),
            trailer_lift_axle_failure_detected: from.trailer_lift_axle_failure_detected(),
            trailer_cooling_unit_connected: from.trailer_cooling_unit_connected(),
            trailer_cooling_unit_warning_active: from.trailer_cooling_unit_warning_active(),
            trailer_cooling_unit_failure_detected: from.trailer_cooling_unit_failure_detected(),
            trailer_rear_door_connected: from.trailer_rear_door_connected(),
            trailer_rear_door_warning_active: from.trailer_rear_door_warning_active(),
            trailer_rear_door_failure_detected: from.trailer_rear_door_failure_detected(),
        })
    }
}

impl TrailerTyreMonitoringMeasurement {
    pub fn fill(&self, mut out: upb::TrailerTyreMonitoringMeasurementMut<'_>) {
        out.set_axle_position_number(self.axle_position_number);
        out.set_wheel_position_number(self.wheel_position_number);
        out.set_tyre_pressure_kilopascal(self.tyre_pressure_kilopascal);
        out.set_tyre_temperature_degrees_celsius(self.tyre_temperature_degrees_celsius);
        out.set_tyre_air_leakage_rate_pascal_per_second(self.tyre_air_leakage_rate_pascal_per_second);
        out.set_tyre_pressure_threshold_exceeded(self.tyre_pressure_threshold_exceeded);
        out.set_tyre_sensor_battery_low(self.tyre_sensor_battery_low);
        out.set_tyre_sensor_signal_lost(self.tyre_sensor_signal_lost);
    }

    pub fn of(from: upb::TrailerTyreMonitoringMeasurementView<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            axle_position_number: from.axle_position_number(),
            wheel_position_number: from.wheel_position_number(),
            tyre_pressure_kilopascal: from.tyre_pressure_kilopascal(),
            tyre_temperature_degrees_celsius: from.tyre_temperature_degrees_celsius(),
            tyre_air_leakage_rate_pascal_per_second: from.tyre_air_leakage_rate_pascal_per_second(),
            tyre_pressure_threshold_exceeded: from.tyre_pressure_threshold_exceeded(),
            tyre_sensor_battery_low: from.tyre_sensor_battery_low(),
            tyre_sensor_signal_lost: from.tyre_sensor_signal_lost(),
        })
    }
}

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
