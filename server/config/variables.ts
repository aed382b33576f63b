import { z } from 'zod'
import { mailSender } from '../../shared/api/messaging.ts'
import { emailAddress } from '../../shared/fields.ts'
import { parseNetwork } from '../lib/address-list.ts'

/**
 * Kinds of environment variables. The empty string counts as unset. Messages go on after the name of the variable and
 * repeat what was entered, except for secrets.
 */

const entered = (value: unknown) => (typeof value === 'string' ? value.trim() || undefined : undefined)

const itIs = (rule: string) => ({
  error: ({ input }: { input?: unknown }) => `${rule}; it is "${input}"`,
})

export const text = z.preprocess(entered, z.string().optional())

const truthy = ['1', 'true', 'yes', 'on']
const falsy = ['0', 'false', 'no', 'off']
const isNoFlag = itIs(`must be one of ${[...truthy, ...falsy].join(', ')}`)
const stringFlag = z
  .string()
  .toLowerCase()
  .pipe(z.stringbool({ truthy, falsy, ...isNoFlag }))

export const flag = (otherwise: boolean) => z.preprocess(entered, stringFlag.default(otherwise))

export const optionalFlag = z.preprocess(entered, stringFlag.optional())

/** A flag, or `auto`. */
export const flagOrAuto = z.preprocess(
  (value) => entered(value)?.toLowerCase(),
  z.union([z.literal('auto'), stringFlag], isNoFlag).default('auto'),
)

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(
      (entry) => Number.isInteger(Number(entry)) && Number(entry) >= min && Number(entry) <= max,
      itIs(`must be a whole number from ${min} to ${max}`),
    )
    .transform(Number)

export const whole = (otherwise: number, min: number, max: number) =>
  z.preprocess(entered, wholeNumber(min, max).default(otherwise))

/** As the variables of the tenant tree are known elsewhere: what is no number from `min` to `max` counts as unset. */
export const wholeOrUnset = (otherwise: number, min: number, max = 2 ** 31 - 1) =>
  whole(otherwise, min, max).catch(otherwise)

type Choices = readonly [string, ...string[]]
const oneOf = <const Of extends Choices>(choices: Of) => z.enum(choices, itIs(`must be one of ${choices.join(', ')}`))
export const optionalChoice = <const Of extends Choices>(choices: Of) =>
  z.preprocess(entered, oneOf(choices).optional())
export const choice = <const Of extends Choices>(choices: Of, otherwise: NoInfer<Of[number]>) =>
  z.preprocess(entered, oneOf(choices).default(otherwise))

const address = z
  .string()
  .refine((entry) => /^https?:$/.test(URL.parse(entry)?.protocol ?? ''), itIs('must be an http or https address'))

const origin = address.transform((entry) => new URL(entry).origin)

const email = z
  .string()
  .refine((entry) => emailAddress.safeParse(entry).success, itIs('must be an email address'))
  .pipe(emailAddress)

export const sender = z.preprocess(
  entered,
  z
    .string()
    .refine((entry) => mailSender.safeParse(entry).success, itIs('must be an email address, with or without a name'))
    .optional(),
)

const network = z.string().refine((entry) => parseNetwork(entry) !== null, {
  error: ({ input }) => `must list IP addresses and CIDR ranges; "${input}" is neither`,
})

export const optionalAddress = z.preprocess(entered, address.optional())
export const optionalOrigin = z.preprocess(entered, origin.optional())
export const requiredEmail = z.preprocess(entered, email)

const listOf = <Entry extends z.ZodType<unknown, string>>(entry: Entry) =>
  z.preprocess(
    (value) =>
      (entered(value) ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    z.array(entry),
  )

export const texts = listOf(z.string())
export const origins = listOf(origin)
export const emails = listOf(email)
export const networks = listOf(network)

const uses = /^\d{1,7}\/(?!0+$)\d{1,6}$/

/** `100/60`: so many in so many seconds. */
export const usesPerSeconds = z.preprocess(
  entered,
  z
    .string()
    .regex(uses, itIs('must look like 100/60 (uses/seconds)'))
    .transform((entry) => {
      const [max, windowSeconds] = entry.split('/').map(Number)
      return { max: max ?? 0, windowSeconds: windowSeconds ?? 0 }
    })
    .optional(),
)

const atLeast = (characters: number) => {
  const error = `must have at least ${characters} characters`
  return z.string({ error }).min(characters, { error })
}
/** At least so many characters; never repeated. */
export const secret = (characters: number) => z.preprocess(entered, atLeast(characters))
export const optionalSecret = (characters: number) => z.preprocess(entered, atLeast(characters).optional())

/** @throws Error that names every variable that is wrong, one a line */
export const readVariables = <Variables extends z.ZodObject>(variables: Variables, env: NodeJS.ProcessEnv) =>
  valid(variables.safeParse(env), ({ path }) => String(path[0]))

/** Of several names of one setting the first that is set counts, and those behind it may say anything. */
export function readFirst<Value>(kind: z.ZodType<Value>, names: readonly string[], env: NodeJS.ProcessEnv): Value {
  const name = names.find((one) => entered(env[one])) ?? names[0] ?? ''
  return valid(kind.safeParse(env[name]), () => name)
}

function valid<Value>(read: z.ZodSafeParseResult<Value>, nameOf: (issue: z.core.$ZodIssue) => string): Value {
  if (read.success) return read.data
  throw new Error(read.error.issues.map((issue) => `${nameOf(issue)} ${issue.message}`).join('\n'))
}
