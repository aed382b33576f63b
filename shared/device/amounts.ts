import { z } from 'zod'

/** A pebibyte: more than any device has, and little enough that many of them can be added up in 64 bits. */
const mostReported = 2 ** 50

/** Bytes, files or milliseconds, as a device counts them. */
export const reportedAmount = z.number().nonnegative().max(mostReported).transform(Math.round)
