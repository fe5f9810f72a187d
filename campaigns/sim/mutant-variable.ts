/** Environment variable that selects the mutant of a process. */
export const MUTANT_VARIABLE = "ORTHANT_SIM_MUTANT";
