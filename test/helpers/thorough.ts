/** Whether `npm run test:thorough` runs: everything at full length, which `npm test` leaves out for the sake of time. */
export const isThorough = process.env.HOMEPORT_THOROUGH_TESTS === '1'
