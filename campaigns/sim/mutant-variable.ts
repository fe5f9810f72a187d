/** The variable that tells a process which mutant it is. */
export const MUTANT_VARIABLE = "ORTHANT_SIM_MUTANT";
