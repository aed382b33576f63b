import { refresh as refreshEndpoint } from '../../shared/api/auth.ts'
import { backoffMs } from '../../shared/backoff.ts'
import { type Endpoint, type InputOf, pathOf, type ReplyOf } from '../../shared/endpoint.ts'
import type { ErrorCode } from '../../shared/errors/index.ts'
import { ApiError, errorFrom } from './api-error.ts'
import { pause } from './pause.ts'
import { isSameUser, type SessionUser, userInToken } from './session-user.ts'
import { assertValidBody, type StepUpAnswer, type StepUpPrompt, stepUpPromptFor } from './step-up.ts'

export interface ApiClientOptions {
  /** Origin of the API, such as `https://box.local:8443`. */
  origin: string
  readCsrfToken: () => string | undefined
  /** The session is over: it cannot be renewed, or another user signed in in this browser. */
  onEvicted: (reason: EvictionReason) => void
  /** The session exists, but nearly everything is refused: a factor has to be set up, or the account is inactive. */
  onBarred: (bar: AccessBlock) => void
  /** The user may not do what was requested. */
  onRefused?: () => void
  /** Asks the user to step up; null if they declined. */
  onProofWanted?: (question: StepUpPrompt) => Promise<StepUpAnswer | null>
  /** Pause before the first retry of a failed refresh, in milliseconds; doubles each time. */
  refreshBackoffMs?: number
}

export type EvictionReason = 'session-expired' | 'another-person' | 'another-tenant'
export type AccessBlock = 'unenrolled' | 'inactive'

export type ApiClient = ReturnType<typeof createApiClient>

type LooseInput = { params?: unknown; query?: unknown; body?: unknown; file?: Blob }

/** Refusals for lack of permissions or reach. */
const permissionCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'permission_denied',
  'no_permissions',
  'insufficient_permissions',
  'full_partner_org_access_required',
])

/** Refusals for users of an inactive or deleted tenant. */
const closedCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'PARTNER_INACTIVE',
  'PARTNER_NOT_FOUND',
  'TENANT_INACTIVE',
])

const refreshAttempts = 4
const raceWaitMs = 200
/** A refusal with a longer wait is reported at once. */
const longestSilentWaitMs = 5000

/**
 * Calls contract endpoints. The access token is only in memory; the refresh token is in a cookie that all tabs of the
 * browser share. Each client therefore remembers its user and never acts for another one by itself.
 */
export function createApiClient({
  origin,
  readCsrfToken,
  onEvicted,
  onBarred,
  onRefused,
  onProofWanted,
  refreshBackoffMs = 500,
}: ApiClientOptions) {
  let accessToken: string | null = null
  let owner: SessionUser | null = null
  let refreshing: Promise<boolean> | null = null
  let isRetired = false
  const asking = new Map<StepUpPrompt['kind'], Promise<StepUpAnswer | null>>()

  async function send(endpoint: Endpoint, input: LooseInput, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {}
    if (accessToken && endpoint.access.who !== 'public') headers.authorization = `Bearer ${accessToken}`
    if (input.body !== undefined) headers['content-type'] = 'application/json'
    return request(origin + urlOf(endpoint, input), {
      method: endpoint.method,
      headers,
      signal: signal ?? null,
      // Cacheable replies, such as pictures, are revalidated before use.
      cache: 'no-cache',
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.file && { body: formWith(input.file) }),
    })
  }

  /** One refresh at a time, in this tab and, with the Web Locks API, among all tabs: a refresh token works once. */
  function refresh(): Promise<boolean> {
    if (isRetired) return Promise.resolve(false)
    refreshing ??= acrossTabs(rotate).finally(() => {
      refreshing = null
    })
    return refreshing
  }

  /** Runs a sign-in that replaces the session. Until it is done, no tab refreshes the old one. */
  async function insteadOfRefresh(signIn: () => Promise<void>): Promise<void> {
    const arrival = acrossTabs(signIn)
    refreshing = arrival.then(
      () => true,
      () => false,
    )
    try {
      await arrival
    } finally {
      refreshing = null
    }
  }

  async function rotate(): Promise<boolean> {
    for (const failures: ApiError[] = []; ; ) {
      const error = await tryRefresh()
      if (!error) return true
      const waitMs = pauseAfter(error, failures, refreshBackoffMs)
      if (waitMs === null) return false
      failures.push(error)
      await pause(waitMs)
    }
  }

  async function tryRefresh(): Promise<ApiError | null> {
    try {
      const response = await request(origin + urlOf(refreshEndpoint, {}), {
        method: refreshEndpoint.method,
        headers: { 'x-svc-csrf': readCsrfToken() ?? '' },
        // A reload must not lose the new cookie, because the old one is used up.
        keepalive: true,
      })
      if (!response.ok) return errorFrom(response)
      const reply = (await response.json()) as ReplyOf<typeof refreshEndpoint>
      const holder = userInToken(reply.tokens.accessToken)
      if (owner && !isSameUser(owner, holder)) {
        yieldTo(holder)
        return new ApiError(401, 'invalid_refresh_token')
      }
      accessToken = reply.tokens.accessToken
      owner = holder
      return null
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  /** The raw reply of a successful call; a 401 is answered with one refresh and one retry. */
  async function attempt(endpoint: Endpoint, input: LooseInput, signal?: AbortSignal): Promise<Response> {
    const usedToken = accessToken
    const caller = owner
    let response = await send(endpoint, input, signal)
    if (response.status === 401 && endpoint.access.who !== 'public') {
      const isRenewed = accessToken !== usedToken || (await refresh())
      if (!isRenewed) evict()
      if (!isRenewed || !isStill(caller)) throw await errorFrom(response)
      response = await send(endpoint, input, signal)
      if (response.status === 401) evict()
    }
    if (response.ok) return response
    const error = await errorFrom(response)
    const bar = barOf(error)
    if (bar) onBarred(bar)
    if (permissionCodes.has(error.code)) onRefused?.()
    throw error
  }

  /** The raw reply of a successful call; if the server asks for a step-up, the user is asked and the call repeated. */
  async function open<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    signal?: AbortSignal,
    file?: Blob,
  ): Promise<Response> {
    const prompted = new Set<StepUpPrompt['kind']>()
    const caller = owner
    for (let given: LooseInput = { ...input, ...(file && { file }) }; ; ) {
      try {
        return await attempt(endpoint, given, signal)
      } catch (error) {
        const question = stepUpPromptFor(error, prompted)
        // An invalid request is refused before the user is asked.
        if (question?.kind === 'factor') assertValidBody(endpoint.body, given.body)
        const proof = question && (await ask(question))
        if (!question || !proof || !isStill(caller)) throw error
        prompted.add(question.kind)
        given = { ...given, ...(proof.currentPassword && { body: { ...(given.body as object), ...proof } }) }
      }
    }
  }

  /** Calls that wait for the same prompt share it. */
  function ask(question: StepUpPrompt): Promise<StepUpAnswer | null> {
    const answer =
      asking.get(question.kind) ??
      (onProofWanted?.(question) ?? Promise.resolve(null)).finally(() => asking.delete(question.kind))
    asking.set(question.kind, answer)
    return answer
  }

  function evict() {
    if (accessToken === null) return
    accessToken = null
    onEvicted('session-expired')
  }

  /**
   * Another user, or the same user in another tenant, is signed in in this browser. This page stops using the session
   * until it is loaded anew or somebody signs in on it.
   */
  function yieldTo({ id }: Pick<SessionUser, 'id'>) {
    const reason = owner?.id === id ? 'another-tenant' : 'another-person'
    isRetired = true
    accessToken = null
    owner = null
    onEvicted(reason)
  }

  /** A call of one user is never sent in the name of the next. */
  const isStill = (caller: SessionUser | null) => caller === null || (owner !== null && isSameUser(owner, caller))

  return {
    open,
    /** Uploads one file. */
    async upload<E extends Endpoint>(endpoint: E, input: InputOf<E>, file: Blob): Promise<ReplyOf<E>> {
      const response = await open(endpoint, input, undefined, file)
      return (await response.json()) as ReplyOf<E>
    },
    async call<E extends Endpoint>(endpoint: E, input: InputOf<E>, signal?: AbortSignal): Promise<ReplyOf<E>> {
      const response = await open(endpoint, input, signal)
      return (await response.json()) as ReplyOf<E>
    },
    signIn(token: string) {
      isRetired = false
      accessToken = token
      owner = userInToken(token)
    },
    /** The user of this client; after the session ended by itself, the former one. */
    owner: () => owner,
    token: () => accessToken,
    isSignedIn: () => accessToken !== null,
    signOut() {
      accessToken = null
      owner = null
    },
    /** The session ended, but the same user may resume it. */
    suspend() {
      accessToken = null
    },
    yieldTo,
    /** Continues with the browser's session if it belongs to the same user. */
    renew: refresh,
    insteadOfRefresh,
    /** Whether there is a session; tries the refresh cookie if necessary. */
    async restore(): Promise<boolean> {
      if (accessToken) return true
      return refreshing ?? (readCsrfToken() ? refresh() : false)
    },
  }
}

function formWith(file: Blob): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}

function barOf({ status, code }: ApiError): AccessBlock | null {
  if (status === 428 && code === 'mfa_enrollment_required') return 'unenrolled'
  return status === 403 && closedCodes.has(code) ? 'inactive' : null
}

/** Milliseconds to wait before the next try, null for none left; throws errors that do not pass by themselves. */
function pauseAfter(error: ApiError, before: ApiError[], firstMs: number): number | null {
  if (error.code === 'refresh_raced') return before.some(({ code }) => code === error.code) ? null : raceWaitMs
  if (error.isForAddress) throw error
  if (!error.isTransient) return null
  const waitMs = error.retryAfter
    ? error.retryAfter * 1000
    : backoffMs(before.length + 1, { firstMs, capMs: Number.POSITIVE_INFINITY })
  if (before.length + 1 >= refreshAttempts || waitMs > longestSilentWaitMs) throw error
  return waitMs
}

function urlOf(endpoint: Endpoint, { params, query }: LooseInput): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return `/api/v1${pathOf(endpoint, params)}${search && `?${search}`}`
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'network')
  }
}

// The Web Locks API needs a secure origin; without it, the server's grace period covers races between tabs.
const acrossTabs = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('homeport.refresh', work) : work()
