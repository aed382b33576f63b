import type { z } from 'zod'
import type { AuditActionFamily } from './audit-actions/index.ts'
import type { Permission } from './permissions.ts'

/**
 * One object per endpoint. The route and its guard, validation, the reply serializer, the OpenAPI document,
 * the typed clients of console and agent, and the tests that walk every route are all made from it.
 */

type Status = 200 | 201 | 202 | 302
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Scope = 'system' | 'partner' | 'organization'

/**
 * `strict`: the session itself passed a second factor. `session`: that, or the user holds no factor and
 * no policy asks for one.
 */
export type MfaMarker = 'strict' | 'session'

/**
 * Why a signed-in user is refused at most endpoints: their partner is not active; a policy requires a second factor that
 * they have not enrolled; `closed`: the tenant of their session is closed, and all they can do there is read its status and
 * leave. An endpoint lists the reasons that do not close it.
 */
export type ClosingReason = 'partner-inactive' | 'unenrolled' | 'closed'
export type AgentRole = 'agent' | 'watchdog'

export type Access =
  | { who: 'public' }
  | { who: 'agent'; roles: readonly AgentRole[]; whileDraining?: true }
  | {
      who: 'user'
      scopes: readonly Scope[]
      permission?: Permission
      /** Will do as well as `permission`. */
      or?: Permission
      /** Needed beside `permission`. */
      and?: Permission
      /** Needed for some of what can be asked; the service checks it. */
      sometimes?: Permission
      mfa?: MfaMarker
      platformAdmin?: true
      evenIf?: readonly ClosingReason[]
      /** Also for an API key, whose scopes have to cover the permission; never together with `mfa`. */
      byKey?: true
    }

export type UserAccess = Extract<Access, { who: 'user' }>

export const publicAccess: Access = { who: 'public' }

export const agentAccess = (options: { roles?: readonly AgentRole[]; whileDraining?: true } = {}): Access => ({
  who: 'agent',
  roles: options.roles ?? ['agent'],
  ...(options.whileDraining && { whileDraining: true }),
})

export const everyScope = ['organization', 'partner', 'system'] as const

export const userAccess = (
  permission?: Permission,
  options: Partial<
    Pick<UserAccess, 'scopes' | 'or' | 'and' | 'sometimes' | 'mfa' | 'platformAdmin' | 'evenIf' | 'byKey'>
  > = {},
): UserAccess => ({
  who: 'user',
  scopes: options.scopes ?? everyScope,
  ...(permission && { permission }),
  ...(options.or && { or: options.or }),
  ...(options.and && { and: options.and }),
  ...(options.sometimes && { sometimes: options.sometimes }),
  ...(options.mfa && { mfa: options.mfa }),
  ...(options.platformAdmin && { platformAdmin: true }),
  ...(options.evenIf && { evenIf: options.evenIf }),
  ...(options.byKey && { byKey: options.byKey }),
})

export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  /** `feature.verb`, unique; the operation id of the API description. */
  readonly name: string
  readonly method: Method
  /** Below `/api/v1`, parameters as `:name`. */
  readonly path: string
  /** The same under an older address, with the same parameters. */
  readonly alias?: string
  readonly summary: string
  readonly access: Access
  /** What some bodies ask of the caller beside; read before the body is validated, so that a 403 precedes a 400. */
  readonly stricter?: (body: unknown) => UserAccess | null
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** The shape of the successful answer; keys it does not list never leave the server. */
  readonly reply: R
  /** Status of the successful answer; with 302 `reply` is the address, and there is no HEAD beside the GET. */
  readonly status: Status
  /** The audit action a success writes; `null` for reads. */
  readonly audit: AuditActionFamily | null
  /** Largest accepted body in bytes, counted after inflating; 1 MiB unless told. */
  readonly bodyLimit?: number
  /** How many values the body may hold; as many as a list of its size has, unless told. */
  readonly valueLimit?: number
  /** The body is one file of at most so many bytes, as `file` of a `multipart/form-data`. */
  readonly fileLimit?: number
  /** The body may hold so many such files, each as `file`. */
  readonly fileCount?: number
  /** A content type other than JSON: the handler writes the answer itself. */
  readonly content?: string
  /** `error` of a 400 is the first thing that is wrong and nothing else. */
  readonly isBrief?: true
  /** About second factors: answers 404 on an appliance that does without them (`ENABLE_2FA=false`). */
  readonly isTwoFactor?: true
}

type Definition<P, Q, B, R> = {
  name: string
  method: Method
  path: string
  alias?: string
  summary: string
  access: Access
  stricter?: (body: unknown) => UserAccess | null
  params?: P
  query?: Q
  body?: B
  reply: R
  status?: Status
  audit?: AuditActionFamily | null
  bodyLimit?: number
  valueLimit?: number
  fileLimit?: number
  fileCount?: number
  content?: string
  isBrief?: true
  isTwoFactor?: true
}

export function endpoint<
  R extends z.ZodType,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(definition: Definition<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return { status: 200, audit: null, ...definition }
}

/** The path below `/api/v1` with its parameters filled in. */
export function pathOf({ path }: Pick<Endpoint, 'path'>, params?: unknown): string {
  const values = new Map(Object.entries(params ?? {}))
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name) ?? '')))
}

export type ParamsOf<E extends Endpoint> = E extends Endpoint<infer P> ? z.output<P> : never
export type QueryOf<E extends Endpoint> = E extends Endpoint<z.ZodType, infer Q> ? z.output<Q> : never
export type BodyOf<E extends Endpoint> = E extends Endpoint<z.ZodType, z.ZodType, infer B> ? z.output<B> : never
export type ReplyOf<E extends Endpoint> =
  E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never

type RequestPart<Key extends string, Value> = undefined extends Value
  ? { [K in Key]?: Exclude<Value, undefined> }
  : { [K in Key]: Value }

/** What a client sends: only what the contract asks for. */
export type InputOf<E extends Endpoint> =
  E extends Endpoint<infer P, infer Q, infer B>
    ? RequestPart<'params', z.input<P>> &
        (z.input<Q> extends undefined ? { query?: undefined } : { query?: z.input<Q> }) &
        RequestPart<'body', z.input<B>>
    : never
