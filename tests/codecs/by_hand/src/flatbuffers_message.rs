//! Between the application's messages and the tables of FlatBuffers.

use flatbuffers::{FlatBufferBuilder, WIPOffset};

use crate::message::*;
use crate::schemas::flatbuffers as tables;

impl CurrentGeographicalPosition {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::CurrentGeographicalPosition<'a>> {
        let position_fix_date_time = Some(out.create_string(&self.position_fix_date_time));
        let fields = tables::CurrentGeographicalPositionArgs {
            position_latitude_degrees: self.position_latitude_degrees,
            position_longitude_degrees: self.position_longitude_degrees,
            position_altitude_metres: self.position_altitude_metres,
            position_heading_degrees: self.position_heading_degrees,
            position_speed_kilometres_per_hour: self.position_speed_kilometres_per_hour,
            position_fix_date_time,
        };
        tables::CurrentGeographicalPosition::create(out, &fields)
    }
}

impl From<tables::CurrentGeographicalPosition<'_>> for CurrentGeographicalPosition {
    fn from(table: tables::CurrentGeographicalPosition<'_>) -> Self {
        Self {
            position_latitude_degrees: table.position_latitude_degrees(),
            position_longitude_degrees: table.position_longitude_degrees(),
            position_altitude_metres: table.position_altitude_metres(),
            position_heading_degrees: table.position_heading_degrees(),
            position_speed_kilometres_per_hour: table.position_speed_kilometres_per_hour(),
            position_fix_date_time: table.position_fix_date_time().to_owned(),
        }
    }
}

impl CurrentDriverInformation {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::CurrentDriverInformation<'a>> {
        let driver_card_identification = Some(out.create_string(&self.driver_card_identification));
        let driver_working_state = Some(out.create_string(&self.driver_working_state));
        let fields = tables::CurrentDriverInformationArgs {
            driver_card_identification,
            driver_working_state,
            driver_card_inserted: self.driver_card_inserted,
            driver_time_related_warning_state: self.driver_time_related_warning_state,
            driver_continuous_driving_time_seconds: self.driver_continuous_driving_time_seconds,
            driver_cumulative_break_time_seconds: self.driver_cumulative_break_time_seconds,
        };
        tables::CurrentDriverInformation::create(out, &fields)
    }
}

impl From<tables::CurrentDriverInformation<'_>> for CurrentDriverInformation {
    fn from(table: tables::CurrentDriverInformation<'_>) -> Self {
        Self {
            driver_card_identification: table.driver_card_identification().to_owned(),
            driver_working_state: table.driver_working_state().to_owned(),
            driver_card_inserted: table.driver_card_inserted(),
            driver_time_related_warning_state: table.driver_time_related_warning_state(),
            driver_continuous_driving_time_seconds: table.driver_continuous_driving_time_seconds(),
            driver_cumulative_break_time_seconds: table.driver_cumulative_break_time_seconds(),
        }
    }
}

impl TelltaleIndicatorStates {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::TelltaleIndicatorStates<'a>> {
        let fields = tables::TelltaleIndicatorStatesArgs {
            engine_oil_pressure_warning_active: self.engine_oil_pressure_warning_active,
            engine_oil_pressure_failure_detected: self.engine_oil_pressure_failure_detected,
            engine_oil_pressure_service_required: self.engine_oil_pressure_service_required,
            engine_coolant_temperature_warning_active: self.engine_coolant_temperature_warning_active,
            engine_coolant_temperature_failure_detected: self.engine_coolant_temperature_failure_detected,
            engine_coolant_temperature_service_required: self.engine_coolant_temperature_service_required,
            anti_lock_braking_system_warning_active: self.anti_lock_braking_system_warning_active,
            anti_lock_braking_system_failure_detected: self.anti_lock_braking_system_failure_detected,
            anti_lock_braking_system_service_required: self.anti_lock_braking_system_service_required,
            electronic_stability_control_warning_active: self.electronic_stability_control_warning_active,
            electronic_stability_control_failure_detected: self.electronic_stability_control_failure_detected,
            electronic_stability_control_service_required: self.electronic_stability_control_service_required,
            air_suspension_system_warning_active: self.air_suspension_system_warning_active,
            air_suspension_system_failure_detected: self.air_suspension_system_failure_detected,
            air_suspension_system_service_required: self.air_suspension_system_service_required,
            exhaust_aftertreatment_warning_active: self.exhaust_aftertreatment_warning_active,
            exhaust_aftertreatment_failure_detected: self.exhaust_aftertreatment_failure_detected,
            exhaust_aftertreatment_service_required: self.exhaust_aftertreatment_service_required,
            parking_brake_circuit_warning_active: self.parking_brake_circuit_warning_active,
            parking_brake_circuit_failure_detected: self.parking_brake_circuit_failure_detected,
            parking_brake_circuit_service_required: self.parking_brake_circuit_service_required,
            advanced_emergency_braking_warning_active: self.advanced_emergency_braking_warning_active,
            advanced_emergency_braking_failure_detected: self.advanced_emergency_braking_failure_detected,
            advanced_emergency_braking_service_required: self.advanced_emergency_braking_service_required,
        };
        tables::TelltaleIndicatorStates::create(out, &fields)
    }
}

impl From<tables::TelltaleIndicatorStates<'_>> for TelltaleIndicatorStates {
    fn from(table: tables::TelltaleIndicatorStates<'_>) -> Self {
        Self {
            engine_oil_pressure_warning_active: table.engine_oil_pressure_warning_active(),
            engine_oil_pressure_failure_detected: table.engine_oil_pressure_failure_detected(),
            engine_oil_pressure_service_required: table.engine_oil_pressure_service_required(),
            engine_coolant_temperature_warning_active: table.engine_coolant_temperature_warning_active(),
            engine_coolant_temperature_failure_detected: table.engine_coolant_temperature_failure_detected(),
            engine_coolant_temperature_service_required: table.engine_coolant_temperature_service_required(),
            anti_lock_braking_system_warning_active: table.anti_lock_braking_system_warning_active(),
            anti_lock_braking_system_failure_detected: table.anti_lock_braking_system_failure_detected(),
            anti_lock_braking_system_service_required: table.anti_lock_braking_system_service_required(),
            electronic_stability_control_warning_active: table.electronic_stability_control_warning_active(),
            electronic_stability_control_failure_detected: table.electronic_stability_control_failure_detected(),
            electronic_stability_control_service_required: table.electronic_stability_control_service_required(),
            air_suspension_system_warning_active: table.air_suspension_system_warning_active(),
            air_suspension_system_failure_detected: table.air_suspension_system_failure_detected(),
            air_suspension_system_service_required: table.air_suspension_system_service_required(),
            exhaust_aftertreatment_warning_active: table.exhaust_aftertreatment_warning_active(),
            exhaust_aftertreatment_failure_detected: table.exhaust_aftertreatment_failure_detected(),
            exhaust_aftertreatment_service_required: table.exhaust_aftertreatment_service_required(),
            parking_brake_circuit_warning_active: table.parking_brake_circuit_warning_active(),
            parking_brake_circuit_failure_detected: table.parking_brake_circuit_failure_detected(),
            parking_brake_circuit_service_required: table.parking_brake_circuit_service_required(),
            advanced_emergency_braking_warning_active: table.advanced_emergency_braking_warning_active(),
            advanced_emergency_braking_failure_detected: table.advanced_emergency_braking_failure_detected(),
            advanced_emergency_braking_service_required: table.advanced_emergency_braking_service_required(),
        }
    }
}

impl AccumulatedVehicleCounters {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::AccumulatedVehicleCounters<'a>> {
        let fields = tables::AccumulatedVehicleCountersArgs {
            total_vehicle_distance_metres: self.total_vehicle_distance_metres,
            total_engine_operating_time_seconds: self.total_engine_operating_time_seconds,
            total_engine_fuel_consumption_millilitres: self.total_engine_fuel_consumption_millilitres,
            total_idle_fuel_consumption_millilitres: self.total_idle_fuel_consumption_millilitres,
            total_ad_blue_consumption_millilitres: self.total_ad_blue_consumption_millilitres,
            total_power_take_off_active_time_seconds: self.total_power_take_off_active_time_seconds,
            total_power_take_off_fuel_consumption_millilitres: self.total_power_take_off_fuel_consumption_millilitres,
            total_cruise_control_active_time_seconds: self.total_cruise_control_active_time_seconds,
            total_cruise_control_distance_metres: self.total_cruise_control_distance_metres,
            total_eco_roll_active_time_seconds: self.total_eco_roll_active_time_seconds,
            total_retarder_braking_time_seconds: self.total_retarder_braking_time_seconds,
            total_service_brake_application_count: self.total_service_brake_application_count,
            total_harsh_braking_event_count: self.total_harsh_braking_event_count,
            total_harsh_acceleration_event_count: self.total_harsh_acceleration_event_count,
            total_harsh_cornering_event_count: self.total_harsh_cornering_event_count,
            total_engine_start_count: self.total_engine_start_count,
            total_parking_brake_application_count: self.total_parking_brake_application_count,
            total_gear_shift_count: self.total_gear_shift_count,
            total_door_opening_count: self.total_door_opening_count,
            total_lane_departure_warning_count: self.total_lane_departure_warning_count,
            total_forward_collision_warning_count: self.total_forward_collision_warning_count,
            total_driver_attention_warning_count: self.total_driver_attention_warning_count,
            total_particulate_filter_regeneration_count: self.total_particulate_filter_regeneration_count,
            total_differential_lock_active_time_seconds: self.total_differential_lock_active_time_seconds,
            gross_combination_vehicle_weight_kilograms: self.gross_combination_vehicle_weight_kilograms,
            current_engine_speed_revolutions_per_minute: self.current_engine_speed_revolutions_per_minute,
            current_engine_coolant_temperature_degrees_celsius: self.current_engine_coolant_temperature_degrees_celsius,
            current_fuel_tank_level_percent: self.current_fuel_tank_level_percent,
            current_ad_blue_tank_level_percent: self.current_ad_blue_tank_level_percent,
            current_brake_air_pressure_circuit_one_kilopascal: self.current_brake_air_pressure_circuit_one_kilopascal,
            current_brake_air_pressure_circuit_two_kilopascal: self.current_brake_air_pressure_circuit_two_kilopascal,
            current_battery_voltage_millivolts: self.current_battery_voltage_millivolts,
            distance_to_next_scheduled_service_metres: self.distance_to_next_scheduled_service_metres,
            active_diagnostic_trouble_code_count: self.active_diagnostic_trouble_code_count,
        };
        tables::AccumulatedVehicleCounters::create(out, &fields)
    }
}

impl From<tables::AccumulatedVehicleCounters<'_>> for AccumulatedVehicleCounters {
    fn from(table: tables::AccumulatedVehicleCounters<'_>) -> Self {
        Self {
            total_vehicle_distance_metres: table.total_vehicle_distance_metres(),
            total_engine_operating_time_seconds: table.total_engine_operating_time_seconds(),
            total_engine_fuel_consumption_millilitres: table.total_engine_fuel_consumption_millilitres(),
            total_idle_fuel_consumption_millilitres: table.total_idle_fuel_consumption_millilitres(),
            total_ad_blue_consumption_millilitres: table.total_ad_blue_consumption_millilitres(),
            total_power_take_off_active_time_seconds: table.total_power_take_off_active_time_seconds(),
            total_power_take_off_fuel_consumption_millilitres: table
                .total_power_take_off_fuel_consumption_millilitres(),
            total_cruise_control_active_time_seconds: table.total_cruise_control_active_time_seconds(),
            total_cruise_control_distance_metres: table.total_cruise_control_distance_metres(),
            total_eco_roll_active_time_seconds: table.total_eco_roll_active_time_seconds(),
            total_retarder_braking_time_seconds: table.total_retarder_braking_time_seconds(),
            total_service_brake_application_count: table.total_service_brake_application_count(),
            total_harsh_braking_event_count: table.total_harsh_braking_event_count(),
            total_harsh_acceleration_event_count: table.total_harsh_acceleration_event_count(),
            total_harsh_cornering_event_count: table.total_harsh_cornering_event_count(),
            total_engine_start_count: table.total_engine_start_count(),
            total_parking_brake_application_count: table.total_parking_brake_application_count(),
            total_gear_shift_count: table.total_gear_shift_count(),
            total_door_opening_count: table.total_door_opening_count(),
            total_lane_departure_warning_count: table.total_lane_departure_warning_count(),
            total_forward_collision_warning_count: table.total_forward_collision_warning_count(),
            total_driver_attention_warning_count: table.total_driver_attention_warning_count(),
            total_particulate_filter_regeneration_count: table.total_particulate_filter_regeneration_count(),
            total_differential_lock_active_time_seconds: table.total_differential_lock_active_time_seconds(),
            gross_combination_vehicle_weight_kilograms: table.gross_combination_vehicle_weight_kilograms(),
            current_engine_speed_revolutions_per_minute: table.current_engine_speed_revolutions_per_minute(),
            current_engine_coolant_temperature_degrees_celsius: table
                .current_engine_coolant_temperature_degrees_celsius(),
            current_fuel_tank_level_percent: table.current_fuel_tank_level_percent(),
            current_ad_blue_tank_level_percent: table.current_ad_blue_tank_level_percent(),
            current_brake_air_pressure_circuit_one_kilopascal: table
                .current_brake_air_pressure_circuit_one_kilopascal(),
            current_brake_air_pressure_circuit_two_kilopascal: table
                .current_brake_air_pressure_circuit_two_kilopascal(),
            current_battery_voltage_millivolts: table.current_battery_voltage_millivolts(),
            distance_to_next_scheduled_service_metres: table.distance_to_next_scheduled_service_metres(),
            active_diagnostic_trouble_code_count: table.active_diagnostic_trouble_code_count(),
        }
    }
}

impl TyreMonitoringMeasurement {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::TyreMonitoringMeasurement<'a>> {
        let fields = tables::TyreMonitoringMeasurementArgs {
            axle_position_number: self.axle_position_number,
            wheel_position_number: self.wheel_position_number,
            tyre_pressure_kilopascal: self.tyre_pressure_kilopascal,
            tyre_temperature_degrees_celsius: self.tyre_temperature_degrees_celsius,
            tyre_air_leakage_rate_pascal_per_second: self.tyre_air_leakage_rate_pascal_per_second,
            tyre_pressure_threshold_exceeded: self.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: self.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: self.tyre_sensor_signal_lost,
        };
        tables::TyreMonitoringMeasurement::create(out, &fields)
    }
}

impl From<tables::TyreMonitoringMeasurement<'_>> for TyreMonitoringMeasurement {
    fn from(table: tables::TyreMonitoringMeasurement<'_>) -> Self {
        Self {
            axle_position_number: table.axle_position_number(),
            wheel_position_number: table.wheel_position_number(),
            tyre_pressure_kilopascal: table.tyre_pressure_kilopascal(),
            tyre_temperature_degrees_celsius: table.tyre_temperature_degrees_celsius(),
            tyre_air_leakage_rate_pascal_per_second: table.tyre_air_leakage_rate_pascal_per_second(),
            tyre_pressure_threshold_exceeded: table.tyre_pressure_threshold_exceeded(),
            tyre_sensor_battery_low: table.tyre_sensor_battery_low(),
            tyre_sensor_signal_lost: table.tyre_sensor_signal_lost(),
        }
    }
}

impl VehicleSpeedClassStatistic {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::VehicleSpeedClassStatistic<'a>> {
        let fields = tables::VehicleSpeedClassStatisticArgs {
            class_lower_boundary: self.class_lower_boundary,
            class_upper_boundary: self.class_upper_boundary,
            accumulated_duration_seconds: self.accumulated_duration_seconds,
            accumulated_distance_metres: self.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: self.accumulated_fuel_consumption_millilitres,
        };
        tables::VehicleSpeedClassStatistic::create(out, &fields)
    }
}

impl From<tables::VehicleSpeedClassStatistic<'_>> for VehicleSpeedClassStatistic {
    fn from(table: tables::VehicleSpeedClassStatistic<'_>) -> Self {
        Self {
            class_lower_boundary: table.class_lower_boundary(),
            class_upper_boundary: table.class_upper_boundary(),
            accumulated_duration_seconds: table.accumulated_duration_seconds(),
            accumulated_distance_metres: table.accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: table.accumulated_fuel_consumption_millilitres(),
        }
    }
}

impl EngineSpeedClassStatistic {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::EngineSpeedClassStatistic<'a>> {
        let fields = tables::EngineSpeedClassStatisticArgs {
            class_lower_boundary: self.class_lower_boundary,
            class_upper_boundary: self.class_upper_boundary,
            accumulated_duration_seconds: self.accumulated_duration_seconds,
            accumulated_distance_metres: self.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: self.accumulated_fuel_consumption_millilitres,
        };
        tables::EngineSpeedClassStatistic::create(out, &fields)
    }
}

impl From<tables::EngineSpeedClassStatistic<'_>> for EngineSpeedClassStatistic {
    fn from(table: tables::EngineSpeedClassStatistic<'_>) -> Self {
        Self {
            class_lower_boundary: table.class_lower_boundary(),
            class_upper_boundary: table.class_upper_boundary(),
            accumulated_duration_seconds: table.accumulated_duration_seconds(),
            accumulated_distance_metres: table.accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: table.accumulated_fuel_consumption_millilitres(),
        }
    }
}

impl EngineTorqueClassStatistic {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::EngineTorqueClassStatistic<'a>> {
        let fields = tables::EngineTorqueClassStatisticArgs {
            class_lower_boundary: self.class_lower_boundary,
            class_upper_boundary: self.class_upper_boundary,
            accumulated_duration_seconds: self.accumulated_duration_seconds,
            accumulated_distance_metres: self.accumulated_distance_metres,
            accumulated_fuel_consumption_millilitres: self.accumulated_fuel_consumption_millilitres,
        };
        tables::EngineTorqueClassStatistic::create(out, &fields)
    }
}

impl From<tables::EngineTorqueClassStatistic<'_>> for EngineTorqueClassStatistic {
    fn from(table: tables::EngineTorqueClassStatistic<'_>) -> Self {
        Self {
            class_lower_boundary: table.class_lower_boundary(),
            class_upper_boundary: table.class_upper_boundary(),
            accumulated_duration_seconds: table.accumulated_duration_seconds(),
            accumulated_distance_metres: table.accumulated_distance_metres(),
            accumulated_fuel_consumption_millilitres: table.accumulated_fuel_consumption_millilitres(),
        }
    }
}

impl TrailerSwitchStates {
    pub fn create<'a>(&self, out: &mut FlatBufferBuilder<'a>) -> WIPOffset<tables::TrailerSwitchStates<'a>> {
        let fields = tables::TrailerSwitchStatesArgs {
            trailer_braking_system_connected: self.trailer_braking_system_connected,
            trailer_braking_system_warning_active: self.trailer_braking_system_warning_active,
            trailer_braking_system_failure_detected: self.trailer_braking_system_failure_detected,
            trailer_lift_axle_connected: self.trailer_lift_axle_connected,
            trailer_lift_axle_warning_active: self.trailer_lift_axle_warning_active,
            trailer_lift_axle_failure_detected: self.trailer_lift_axle_failure_detected,
            trailer_cooling_unit_connected: self.trailer_cooling_unit_connected,
            trailer_cooling_unit_warning_active: self.trailer_cooling_unit_warning_active,
            trailer_cooling_unit_failure_detected: self.trailer_cooling_unit_failure_detected,
            trailer_rear_door_connected: self.trailer_rear_door_connected,
            trailer_rear_door_warning_active: self.trailer_rear_door_warning_active,
            trailer_rear_door_failure_detected: self.trailer_rear_door_failure_detected,
        };
        tables::TrailerSwitchStates::create(out, &fields)
    }
}

impl From<tables::TrailerSwitchStates<'_>> for TrailerSwitchStates {
    fn from(table: tables::TrailerSwitchStates<'_>) -> Self {
        Self {
            trailer_braking_system_connected: table.trailer_braking_system_connected(),
            trailer_braking_system_warning_active: table.trailer_braking_system_warning_active(),
            trailer_braking_system_failure_detected: table.trailer_braking_system_failure_detected(),
            trailer_lift_axle_connected: table.trailer_lift_axle_connected(),
            trailer_lift_axle_warning_active: table.trailer_lift_axle_warning_active(),
            trailer_lift_axle_failure_detected: table.trailer_lift_axle_failure_detected(),
            trailer_cooling_unit_connected: table.trailer_cooling_unit_connected(),
            trailer_cooling_unit_warning_active: table.trailer_cooling_unit_warning_active(),
            trailer_cooling_unit_failure_detected: table.trailer_cooling_unit_failure_detected(),
            trailer_rear_door_connected: table.trailer_rear_door_connected(),
            trailer_rear_door_warning_active: table.trailer_rear_door_warning_active(),
            trailer_rear_door_failure_detected: table.trailer_rear_door_failure_detected(),
        }
    }
}

impl TrailerTyreMonitoringMeasurement {
    pub fn create<'a>(
        &self,
        out: &mut FlatBufferBuilder<'a>,
    ) -> WIPOffset<tables::TrailerTyreMonitoringMeasurement<'a>> {
        let fields = tables::TrailerTyreMonitoringMeasurementArgs {
            axle_position_number: self.axle_position_number,
            wheel_position_number: self.wheel_position_number,
            tyre_pressure_kilopascal: self.tyre_pressure_kilopascal,
            tyre_temperature_degrees_celsius: self.tyre_temperature_degrees_celsius,
            tyre_air_leakage_rate_pascal_per_second: self.tyre_air_leakage_rate_pascal_per_second,
            tyre_pressure_threshold_exceeded: self.tyre_pressure_threshold_exceeded,
            tyre_sensor_battery_low: self.tyre_sensor_battery_low,
            tyre_sensor_signal_lost: self.tyre_sensor_signal_lost,
        };
        tables::TrailerTyreMonitoringMeasurement::create(out, &fields)
    }
}

impl From<tables::TrailerTyreMonitoringMeasurement<'_>> for TrailerTyreMonitoringMeasurement {
    fn from(table: tables::TrailerTyreMonitoringMeasurement<'_>) -> Self {
        Self {
            axle_position_number: table.axle_position_number(),
            wheel_position_number: table.wheel_position_number(),
            tyre_pressure_kilopascal: table.tyre_pressure_kilopascal(),
            tyre_temperature_degrees_celsius: table.tyre_temperature_degrees_celsius(),
            tyre_air_leakage_rate_pascal_per_second: table.tyre_air_leakage_rate_pascal_per_second(),
            tyre_pressure_threshold_exceeded: table.tyre_pressure_threshold_exceeded(),
            tyre_sensor_battery_low: table.tyre_sensor_battery_low(),
            tyre_sensor_signal_lost: table.tyre_sensor_signal_lost(),
        }
    }
}

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
