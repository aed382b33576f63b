import { z } from 'zod'

/** Field types that several contracts share. */

export const instant = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC, milliseconds' })

/** An id that somebody sends: ids are stored in lower case and mean the same in either. */
export const uuid = z.uuid().toLowerCase()
/** An id in a path: what is no id is not found. */
export const pathId = z.string().toLowerCase()

/** One line of text: SQLite ends a text at a NUL when it measures it, and a name with a line break breaks every list. */
export const lineOfText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
/** Text that may have several lines. SQLite ends a text at a NUL when it measures it. */
export const textOfLines = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[^\0]*$/, 'Must not contain NUL')
export const name255 = lineOfText(255)
/** E.164: a plus sign, the country code, no spaces. */
export const phoneNumber = z.string().trim().regex(z.regexes.e164, 'Write the number as +491701234567')
// Judged before it is lowered: there are letters beyond ASCII whose lower case is within, and they are other mailboxes.
export const emailAddress = z.string().trim().max(255).pipe(z.email().toLowerCase())

/** 8–128 characters with a lower-case letter, an upper-case letter and a digit; the first broken rule is the message. */
export const newPassword = z.string().superRefine((password, context) => {
  const broken = passwordProblem(password)
  if (broken) context.addIssue({ code: 'custom', message: broken })
})

export const passwordRules: readonly { message: string; holds: (password: string) => boolean }[] = [
  { message: 'Password must be at least 8 characters', holds: (password) => password.length >= 8 },
  { message: 'Password must be at most 128 characters', holds: (password) => password.length <= 128 },
  { message: 'Password must contain a lowercase letter', holds: (password) => /\p{Ll}/u.test(password) },
  { message: 'Password must contain an uppercase letter', holds: (password) => /\p{Lu}/u.test(password) },
  { message: 'Password must contain a digit', holds: (password) => /\p{Nd}/u.test(password) },
]

export const passwordProblem = (password: string): string | null =>
  passwordRules.find((rule) => !rule.holds(password))?.message ?? null

export const ianaTimeZone = z
  .string()
  .max(50)
  .refine(isTimeZone, 'Invalid IANA timezone')
  .transform((zone) => (/^(etc\/)?utc$/i.test(zone) ? 'UTC' : zone))

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return !/^[+-]/.test(zone)
  } catch {
    return false
  }
}

/** How people write days and times of day. */
export const dateFormat = z.enum(['MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY-MM-DD'])
export type DateFormat = z.infer<typeof dateFormat>
export const timeFormat = z.enum(['12h', '24h'])
export type TimeFormat = z.infer<typeof timeFormat>

/** How many of something there may be at most. */
export const cap = z.int().min(0).max(2_147_483_647)

export const jsonObject = z.record(z.string(), z.unknown())
export const jsonValue: z.ZodType<unknown> = z.unknown()
export const smallCharacters = 64 * 1024
/** For JSON that is kept as it was sent: lists answer a hundred of them, or all there are. */
export const small = <Schema extends z.ZodType>(schema: Schema) =>
  schema.refine((value) => (JSON.stringify(value) ?? '').length <= smallCharacters, 'Must not be larger than 64 KB')
export const ok = z.object({ success: z.literal(true) })
