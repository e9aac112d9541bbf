"""The long keys of the vehicle-status example, with the maxima of their values."""

from __future__ import annotations

from itertools import product

TELLTALES = tuple(
    f"{part}{state}"
    for part, state in product(
        (
            "engineOilPressure",
            "engineCoolantTemperature",
            "antiLockBrakingSystem",
            "electronicStabilityControl",
            "airSuspensionSystem",
            "exhaustAftertreatment",
            "parkingBrakeCircuit",
            "advancedEmergencyBraking",
        ),
        ("WarningActive", "FailureDetected", "ServiceRequired"),
    )
)

TRAILER_SWITCHES = tuple(
    f"trailer{part}{state}"
    for part, state in product(
        ("BrakingSystem", "LiftAxle", "CoolingUnit", "RearDoor"),
        ("Connected", "WarningActive", "FailureDetected"),
    )
)

COUNTERS = {
    "totalVehicleDistanceMetres": 900_000_000,
    "totalEngineOperatingTimeSeconds": 40_000_000,
    "totalEngineFuelConsumptionMillilitres": 300_000_000,
    "totalIdleFuelConsumptionMillilitres": 9_000_000,
    "totalAdBlueConsumptionMillilitres": 9_000_000,
    "totalPowerTakeOffActiveTimeSeconds": 400_000,
    "totalPowerTakeOffFuelConsumptionMillilitres": 900_000,
    "totalCruiseControlActiveTimeSeconds": 9_000_000,
    "totalCruiseControlDistanceMetres": 90_000_000,
    "totalEcoRollActiveTimeSeconds": 900_000,
    "totalRetarderBrakingTimeSeconds": 900_000,
    "totalServiceBrakeApplicationCount": 900_000,
    "totalHarshBrakingEventCount": 9_000,
    "totalHarshAccelerationEventCount": 9_000,
    "totalHarshCorneringEventCount": 9_000,
    "totalEngineStartCount": 60_000,
    "totalParkingBrakeApplicationCount": 90_000,
    "totalGearShiftCount": 900_000,
    "totalDoorOpeningCount": 90_000,
    "totalLaneDepartureWarningCount": 9_000,
    "totalForwardCollisionWarningCount": 900,
    "totalDriverAttentionWarningCount": 900,
    "totalParticulateFilterRegenerationCount": 900,
    "totalDifferentialLockActiveTimeSeconds": 9_000,
    "grossCombinationVehicleWeightKilograms": 44_000,
    "currentEngineSpeedRevolutionsPerMinute": 2_100,
    "currentEngineCoolantTemperatureDegreesCelsius": 98,
    "currentFuelTankLevelPercent": 99,
    "currentAdBlueTankLevelPercent": 99,
    "currentBrakeAirPressureCircuitOneKilopascal": 1_200,
    "currentBrakeAirPressureCircuitTwoKilopascal": 1_200,
    "currentBatteryVoltageMillivolts": 28_000,
    "distanceToNextScheduledServiceMetres": 90_000_000,
    "activeDiagnosticTroubleCodeCount": 12,
}

# key -> width of a class, and the largest duration in s, distance in m and fuel in ml of one class.
SPEED_CLASS_LISTS = {
    "vehicleSpeedClassStatistics": (10, (2_000_000, 90_000_000, 9_000_000)),
    "engineSpeedClassStatistics": (200, (2_000_000, 90_000_000, 9_000_000)),
    "engineTorqueClassStatistics": (10, (2_000_000, 90_000_000, 9_000_000)),
}
