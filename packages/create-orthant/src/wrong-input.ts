/** A command line, or an answer, that cannot be followed. */
export class WrongInput extends Error {}
