//! XDR (RFC 4506), written field after field.

use crate::codec::{Codec, Failure};
use crate::message::*;

trait Item: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut &[u8]) -> Result<Self, Failure>;
}

macro_rules! number {
    ($($number:ident)*) => {$(
        impl Item for $number {
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }

            #[inline]
            fn take(from: &mut &[u8]) -> Result<Self, Failure> {
                let (head, rest) = from.split_first_chunk().ok_or("the message ends too early")?;
                *from = rest;
                Ok(Self::from_be_bytes(*head))
            }
        }
    )*};
}
number!(u32 f64);

impl Item for bool {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        u32::from(*self).put(out);
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        match u32::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("neither 0 nor 1".into()),
        }
    }
}

impl Item for String {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
        out.extend_from_slice(&[0; 3][..self.len().wrapping_neg() & 3]);
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        let length = u32::take(from)? as usize;
        let (text, rest) = from.split_at_checked(length.next_multiple_of(4)).ok_or("the message ends too early")?;
        *from = rest;
        Ok(str::from_utf8(&text[..length])?.to_owned())
    }
}

impl<T: Item> Item for Option<T> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        if bool::take(from)? { T::take(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Item> Item for Vec<T> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        let count = u32::take(from)?;
        (0..count).map(|_| T::take(from)).collect()
    }
}

macro_rules! record {
    ($name:ident: $($field:ident),*) => {
        impl Item for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(from: &mut &[u8]) -> Result<Self, Failure> {
                Ok(Self { $($field: Item::take(from)?),* })
            }
        }
    };
}
record! { CurrentGeographicalPosition:
    position_latitude_degrees, position_longitude_degrees, position_altitude_metres, position_heading_degrees,
    position_speed_kilometres_per_hour, position_fix_date_time
}
record! { CurrentDriverInformation:
    driver_card_identification, driver_working_state, driver_card_inserted, driver_time_related_warning_state,
    driver_continuous_driving_time_seconds, driver_cumulative_break_time_seconds
}
record! { TelltaleIndicatorStates:
    engine_oil_pressure_warning_active, engine_oil_pressure_failure_detected, engine_oil_pressure_service_required,
    engine_coolant_temperature_warning_active, engine_coolant_temperature_failure_detected,
    engine_coolant_temperature_service_required, anti_lock_braking_system_warning_active,
    anti_lock_braking_system_failure_detected, anti_lock_braking_system_service_required,
    electronic_stability_control_warning_active, electronic_stability_control_failure_detected,
    electronic_stability_control_service_required, air_suspension_system_warning_active,
    air_suspension_system_failure_detected, air_suspension_system_service_required,
    exhaust_aftertreatment_warning_active, exhaust_aftertreatment_failure_detected,
    exhaust_aftertreatment_service_required, parking_brake_circuit_warning_active,
    parking_brake_circuit_failure_detected, parking_brake_circuit_service_required,
    advanced_emergency_braking_warning_active, advanced_emergency_braking_failure_detected,
    advanced_emergency_braking_service_required
}
record! { AccumulatedVehicleCounters:
    total_vehicle_distance_metres, total_engine_operating_time_seconds, total_engine_fuel_consumption_millilitres,
    total_idle_fuel_consumption_millilitres, total_ad_blue_consumption_millilitres,
    total_power_take_off_active_time_seconds, total_power_take_off_fuel_consumption_millilitres,
    total_cruise_control_active_time_seconds, total_cruise_control_distance_metres,
    total_eco_roll_active_time_seconds, total_retarder_braking_time_seconds, total_service_brake_application_count,
    total_harsh_braking_event_count, total_harsh_acceleration_event_count, total_harsh_cornering_event_count,
    total_engine_start_count, total_parking_brake_application_count, total_gear_shift_count, total_door_opening_count,
    total_lane_departure_warning_count, total_forward_collision_warning_count, total_driver_attention_warning_count,
    total_particulate_filter_regeneration_count, total_differential_lock_active_time_seconds,
    gross_combination_vehicle_weight_kilograms, current_engine_speed_revolutions_per_minute,
    current_engine_coolant_temperature_degrees_celsius, current_fuel_tank_level_percent,
    current_ad_blue_tank_level_percent, current_brake_air_pressure_circuit_one_kilopascal,
    current_brake_air_pressure_circuit_two_kilopascal, current_battery_voltage_millivolts,
    distance_to_next_scheduled_service_metres, active_diagnostic_trouble_code_count
}
record! { TyreMonitoringMeasurement:
    axle_position_number, wheel_position_number, tyre_pressure_kilopascal, tyre_temperature_degrees_celsius,
    tyre_air_leakage_rate_pascal_per_second, tyre_pressure_threshold_exceeded, tyre_sensor_battery_low,
    tyre_sensor_signal_lost
}
record! { VehicleSpeedClassStatistic:
    class_lower_boundary, class_upper_boundary, accumulated_duration_seconds, accumulated_distance_metres,
    accumulated_fuel_consumption_millilitres
}
record! { EngineSpeedClassStatistic:
    class_lower_boundary, class_upper_boundary, accumulated_duration_seconds, accumulated_distance_metres,
    accumulated_fuel_consumption_millilitres
}
record! { EngineTorqueClassStatistic:
    class_lower_boundary, class_upper_boundary, accumulated_duration_seconds, accumulated_distance_metres,
    accumulated_fuel_consumption_millilitres
}
record! { TrailerSwitchStates:
    trailer_braking_system_connected, trailer_braking_system_warning_active, trailer_braking_system_failure_detected,
    trailer_lift_axle_connected, trailer_lift_axle_warning_active, trailer_lift_axle_failure_detected,
    trailer_cooling_unit_connected, trailer_cooling_unit_warning_active, trailer_cooling_unit_failure_detected,
    trailer_rear_door_connected, trailer_rear_door_warning_active, trailer_rear_door_failure_detected
}
record! { TrailerTyreMonitoringMeasurement:
    axle_position_number, wheel_position_number, tyre_pressure_kilopascal, tyre_temperature_degrees_celsius,
    tyre_air_leakage_rate_pascal_per_second, tyre_pressure_threshold_exceeded, tyre_sensor_battery_low,
    tyre_sensor_signal_lost
}
record! { ConnectedTrailerInformation:
    trailer_vehicle_identification_number, trailer_axle_load_kilograms, trailer_switch_states,
    trailer_tyre_monitoring_measurements
}
record! { VehicleStatus:
    message_sequence_number, vehicle_identification_number, message_created_date_time, message_received_date_time,
    message_trigger_type, current_geographical_position, current_driver_information, telltale_indicator_states,
    accumulated_vehicle_counters, tyre_monitoring_measurements, vehicle_speed_class_statistics,
    engine_speed_class_statistics, engine_torque_class_statistics, connected_trailer_information
}

pub struct Xdr(Vec<u8>);

impl Codec for Xdr {
    type Message = VehicleStatus;

    fn new() -> Result<Self, Failure> {
        Ok(Self(Vec::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.clear();
        message.put(&mut self.0);
        Ok(&self.0)
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        VehicleStatus::take(&mut &bytes[..])
    }
}
