import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { everyScope, type Scope } from '../../../../shared/endpoint.ts'
import type { Clock } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Session } from './store.ts'

export const accessTokenSeconds = 900
export const refreshTokenSeconds = 7 * 24 * 3600

const issuer = 'svc'
const audience = 'svc-api'

/** Claims of both tokens. Informative: what a session may do is read from the database. */
export interface Claims {
  sub: string
  email: string
  scope: Scope
  partnerId: string | null
  orgId: string | null
  roleId: string | null
  mfa: boolean
  aep: number
  mep: number
}

type TenantClaims = Pick<Claims, 'scope' | 'partnerId' | 'orgId'>

const tenantClaims = z.object({
  scope: z.enum(everyScope),
  partnerId: z.string().nullable(),
  orgId: z.string().nullable(),
}) satisfies z.ZodType<TenantClaims>

export interface VerifiedAccess {
  userId: string
  sessionId: string
  tenantKey: string
  /** The partner of that tenant. */
  partnerId: string | null
  expiresAtMs: number
}

/** Names the tenant a token is for in one string that can be compared. */
export const tenantKey = ({ scope, partnerId, orgId }: TenantClaims): string => `${scope} ${partnerId} ${orgId}`

/** The session that tokens belong to. */
export type TokenSession = Pick<Session, 'id' | 'mobile_device_id'>

export interface Tokens {
  access(claims: Claims, session: TokenSession): Promise<string>
  refresh(claims: Claims, session: TokenSession, jti: string): Promise<string>
  verifyAccess(token: string): Promise<VerifiedAccess>
  verifyRefresh(token: string): Promise<{ userId: string; sessionId: string; jti: string }>
}

const deviceOf = ({ mobile_device_id: mdid }: TokenSession) => mdid && { mdid }

export function createTokens(key: Uint8Array, clock: Clock): Tokens {
  const sign = (payload: Record<string, unknown>, lifeSeconds: number) => {
    const issuedAt = Math.floor(clock.now() / 1000)
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifeSeconds)
      .setIssuer(issuer)
      .setAudience(audience)
      .sign(key)
  }
  const verify = async (
    token: string,
    type: 'access' | 'refresh',
    refusal: 'invalid_token' | 'invalid_refresh_token',
  ) => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer,
        audience,
        currentDate: new Date(clock.now()),
        requiredClaims: ['sub', 'exp', type === 'access' ? 'sid' : 'fam'],
      })
      if (payload.type !== type) throw new Error(`a ${String(payload.type)} token`)
      return payload
    } catch (error) {
      throw new AppError(refusal, {}, { cause: error })
    }
  }
  return {
    access: (claims, session) =>
      sign({ ...claims, ...deviceOf(session), type: 'access', sid: session.id }, accessTokenSeconds),
    refresh: (claims, session, jti) =>
      sign({ ...claims, ...deviceOf(session), type: 'refresh', fam: session.id, jti }, refreshTokenSeconds),
    verifyAccess: async (token) => {
      const payload = await verify(token, 'access', 'invalid_token')
      const { data: tenant, error } = tenantClaims.safeParse(payload)
      if (!tenant) throw new AppError('invalid_token', {}, { cause: error })
      return {
        userId: String(payload.sub),
        sessionId: String(payload.sid),
        tenantKey: tenantKey(tenant),
        partnerId: tenant.partnerId,
        expiresAtMs: Number(payload.exp) * 1000,
      }
    },
    verifyRefresh: async (token) => {
      const payload = await verify(token, 'refresh', 'invalid_refresh_token')
      return { userId: String(payload.sub), sessionId: String(payload.fam), jti: String(payload.jti) }
    },
  }
}
