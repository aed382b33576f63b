import { refresh as refreshEndpoint } from '../../shared/api/auth.ts'
import { backoffMs } from '../../shared/backoff.ts'
import type { Endpoint, InputOf, ReplyOf } from '../../shared/endpoint.ts'
import type { ErrorCode } from '../../shared/errors/index.ts'
import { ApiError, errorFrom } from './api-error.ts'
import { pause } from './pause.ts'
import { type Person, personIn, samePerson } from './session-user.ts'
import { assertSound, type Proof, type ProofQuestion, questionAfter } from './step-up.ts'

export interface ApiClientOptions {
  /** Where `/api/v1` lives, such as `https://box.local:8443`. */
  origin: string
  readCsrfToken: () => string | undefined
  /** The session is over: nothing can bring it back, or somebody else signed in in this browser meanwhile. */
  onEvicted: (reason: Eviction) => void
  /** The session goes on, but nearly everything is closed to it: a factor has to be set up, or the account is off. */
  onBarred: (bar: Bar) => void
  /** Whoever is signed in may not do what was asked for. */
  onRefused?: () => void
  /** Asks the user to show again who they are, and waits for it; null when they would not. */
  onProofWanted?: (question: ProofQuestion) => Promise<Proof | null>
  /** First pause before a failed refresh is tried again, in milliseconds; doubles each time. */
  refreshBackoffMs?: number
}

export type Eviction = 'session-expired' | 'another-person' | 'another-tenant'
export type Bar = 'unenrolled' | 'inactive'

export type ApiClient = ReturnType<typeof createApiClient>

type LooseInput = { params?: unknown; query?: unknown; body?: unknown; file?: Blob }

/** What is answered to somebody whose role, or reach, does not allow a call. */
const powerRefusals: ReadonlySet<string> = new Set<ErrorCode>([
  'permission_denied',
  'no_permissions',
  'insufficient_permissions',
  'full_partner_org_access_required',
])

/** What is answered to the people of a company or organization that is closed, or gone. */
const closedCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'PARTNER_INACTIVE',
  'PARTNER_NOT_FOUND',
  'TENANT_INACTIVE',
])

const refreshAttempts = 4
const raceWaitMs = 200
/** Longer than this nobody waits without being told why. */
const longestSilentWaitMs = 5000

/**
 * Calls contract endpoints. The access token is kept in memory only; the refresh token lives in a cookie, which all tabs
 * of the browser share. So each client has an owner, and never acts for anybody else without having been told to.
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
  let owner: Person | null = null
  let refreshing: Promise<boolean> | null = null
  let isRetired = false
  const asking = new Map<ProofQuestion['kind'], Promise<Proof | null>>()

  async function send(endpoint: Endpoint, input: LooseInput, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {}
    if (accessToken && endpoint.access.who !== 'public') headers.authorization = `Bearer ${accessToken}`
    if (input.body !== undefined) headers['content-type'] = 'application/json'
    return request(origin + urlOf(endpoint, input), {
      method: endpoint.method,
      headers,
      signal: signal ?? null,
      // What may be kept, such as pictures, is asked about before it is shown again.
      cache: 'no-cache',
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.file && { body: formWith(input.file) }),
    })
  }

  /** One refresh at a time, in this tab and, where the browser has locks, among all tabs: a refresh token works once. */
  function refresh(): Promise<boolean> {
    if (isRetired) return Promise.resolve(false)
    refreshing ??= acrossTabs(rotate).finally(() => {
      refreshing = null
    })
    return refreshing
  }

  /**
   * Does what brings a session of its own in the place of a refresh: until it has settled, no tab of the browser asks
   * the cookie for a session, which is about to be replaced.
   */
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
        // A reload in the middle must not lose the new cookie: the old one is spent.
        keepalive: true,
      })
      if (!response.ok) return errorFrom(response)
      const reply = (await response.json()) as ReplyOf<typeof refreshEndpoint>
      const holder = personIn(reply.tokens.accessToken)
      if (owner && !samePerson(owner, holder)) {
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

  /** The raw answer of a successful call; a 401 is met with one refresh and one replay. */
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
    if (powerRefusals.has(error.code)) onRefused?.()
    throw error
  }

  /** The raw answer of a successful call; where the server wants to know first who is there, it is asked and replayed. */
  async function open<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    signal?: AbortSignal,
    file?: Blob,
  ): Promise<Response> {
    const asked = new Set<ProofQuestion['kind']>()
    const caller = owner
    for (let given: LooseInput = { ...input, ...(file && { file }) }; ; ) {
      try {
        return await attempt(endpoint, given, signal)
      } catch (error) {
        const question = questionAfter(error, asked)
        // What would be refused anyway is not worth a proof.
        if (question?.kind === 'factor') assertSound(endpoint.body, given.body)
        const proof = question && (await ask(question))
        if (!question || !proof || !isStill(caller)) throw error
        asked.add(question.kind)
        given = { ...given, ...(proof.currentPassword && { body: { ...(given.body as object), ...proof } }) }
      }
    }
  }

  /** Calls that wait for the same thing share the one question. */
  function ask(question: ProofQuestion): Promise<Proof | null> {
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
   * Somebody else is signed in in this browser now, or the same person somewhere else. Until the page is loaded anew, or
   * somebody signs in on it, nothing on it takes up that session.
   */
  function yieldTo({ id }: Pick<Person, 'id'>) {
    const reason = owner?.id === id ? 'another-tenant' : 'another-person'
    isRetired = true
    accessToken = null
    owner = null
    onEvicted(reason)
  }

  /** What one person asked for is never done in the name of the next. */
  const isStill = (caller: Person | null) => caller === null || (owner !== null && samePerson(owner, caller))

  return {
    open,
    /** Sends one file, to an endpoint that takes one. */
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
      owner = personIn(token)
    },
    /** Whose client this is; after the session ended by itself, whose it was. */
    owner: () => owner,
    token: () => accessToken,
    isSignedIn: () => accessToken !== null,
    signOut() {
      accessToken = null
      owner = null
    },
    /** The session ended, but may be taken up again: by its owner only. */
    suspend() {
      accessToken = null
    },
    yieldTo,
    /** Takes up the session that the browser has now, if it is one of the owner. */
    renew: refresh,
    insteadOfRefresh,
    /** Whether there is a session, after asking the refresh cookie for one if need be. */
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

function barOf({ status, code }: ApiError): Bar | null {
  if (status === 428 && code === 'mfa_enrollment_required') return 'unenrolled'
  return status === 403 && closedCodes.has(code) ? 'inactive' : null
}

/** How long to wait before the next try, null when there is none; throws what will not pass by itself. */
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
  const values = new Map(Object.entries(params ?? {}))
  const path = endpoint.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(values.get(key))))
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return `/api/v1${path}${search && `?${search}`}`
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'network')
  }
}

// Browsers offer locks on secure origins only; without them the server's grace period covers a race between tabs.
const acrossTabs = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('homeport.refresh', work) : work()
