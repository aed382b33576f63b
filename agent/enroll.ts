import { accessSync, constants } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'
import { type EnrollRequest, enroll as enrollEndpoint } from '../shared/device/enroll.ts'
import { deviceRole } from '../shared/device/inventory.ts'
import { readHardware } from './collectors/hardware.ts'
import { architecture, guessRole, readIdentity } from './collectors/identity.ts'
import { AgentFailure, exitCode, reasonOf } from './failure.ts'
import type { Trust } from './http.ts'
import type { Log } from './log.ts'
import { type Answer, createServerClient } from './server-client.ts'
import { type AgentState, loadState, prepareStateDir, saveState } from './state.ts'
import {
  fetchPinnedAuthority,
  fixedTrust,
  forgetAuthorities,
  isPinned,
  loadTrust,
  parseAuthorities,
  parseFingerprint,
  saveAuthorities,
  systemTrust,
} from './trust.ts'
import { agentVersion } from './version.ts'

export interface EnrollOptions {
  server: string
  caFingerprint?: string
  enrollmentSecret?: string
  deviceRole?: string
  force?: boolean
  stateDir: string
}

export type EnrollOutcome = { already: boolean; state: AgentState }

const usedReply = z.object({
  ...enrollEndpoint.reply.pick({ agentId: true, deviceId: true, authToken: true, orgId: true, siteId: true }).shape,
  config: z.object({ heartbeatIntervalSeconds: z.number().catch(60) }).catch({ heartbeatIntervalSeconds: 60 }),
  trust: z.object({ caPem: z.string() }).nullish().catch(null),
})

/** Introduces this device to the appliance and stores its answer. @throws AgentFailure */
export async function enroll(key: string, options: EnrollOptions, log: Log): Promise<EnrollOutcome> {
  const present = presentState(options)
  if (present && !options.force) return { already: true, state: present }
  const serverUrl = parseServerUrl(options.server)
  await prepare(options.stateDir)
  const body = await introduction(key, options)
  const pinned = await pinnedAuthority(serverUrl, options.caFingerprint)
  const trust = pinned === undefined ? systemTrust() : fixedTrust([pinned])
  const formerToken = isFormerServer(options.stateDir, present, serverUrl, pinned) ? present?.authToken : undefined
  const reply = usedReply.safeParse(await introduce(serverUrl, trust, body, formerToken, log))
  if (!reply.success)
    throw new AgentFailure(exitCode.unexpected, `${serverUrl} answered, but not as a Homeport appliance does.`)
  const { config, trust: offered, ...identity } = reply.data
  const state: AgentState = {
    ...identity,
    serverUrl,
    heartbeatIntervalSeconds: config.heartbeatIntervalSeconds,
    deviceRole: body.deviceRole,
    enrolledAt: new Date().toISOString(),
  }
  keep(options.stateDir, state, pinned === undefined ? undefined : [pinned, ...authoritiesIn(offered?.caPem)])
  return { already: false, state }
}

/** The old token is sent only to the appliance that issued it: at its address, or at another one by its authority. */
function isFormerServer(
  stateDir: string,
  present: AgentState | undefined,
  serverUrl: string,
  pinned: string | undefined,
): boolean {
  if (present?.serverUrl === serverUrl) return true
  return present !== undefined && pinned !== undefined && authoritiesKept(stateDir).includes(pinned)
}

function authoritiesKept(stateDir: string): string[] {
  try {
    const trust = loadTrust(stateDir)
    return (isPinned(trust) && trust.authorities()) || []
  } catch {
    return [] // damaged, and about to be replaced
  }
}

/** With --force a damaged state file is no obstacle: it is about to be replaced. */
function presentState({ stateDir, force }: EnrollOptions): AgentState | undefined {
  try {
    return loadState(stateDir)
  } catch (error) {
    if (force) return undefined
    throw error
  }
}

function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && ['https:', 'http:'].includes(url.protocol)) return url.origin
  throw new AgentFailure(
    exitCode.badConfig,
    `"${text}" is not a server address; use one like https://homeport.local:8443.`,
  )
}

async function pinnedAuthority(serverUrl: string, fingerprint: string | undefined): Promise<string | undefined> {
  if (fingerprint === undefined) return undefined
  const wanted = parseFingerprint(fingerprint)
  if (serverUrl.startsWith('https:')) return fetchPinnedAuthority(serverUrl, wanted)
  throw new AgentFailure(
    exitCode.badConfig,
    'A CA fingerprint needs an https:// address; plain HTTP has no certificate.',
  )
}

async function introduction(key: string, options: EnrollOptions): Promise<EnrollRequest> {
  const role = deviceRole.optional().safeParse(options.deviceRole)
  if (!role.success) {
    throw new AgentFailure(exitCode.badConfig, `Unknown device role; choose one of ${deviceRole.options.join(', ')}.`)
  }
  const [identity, hardwareInfo] = await Promise.all([readIdentity(), readHardware().catch(() => undefined)])
  return {
    enrollmentKey: key,
    enrollmentSecret: options.enrollmentSecret,
    hostname: hostname(),
    osType: identity.osType,
    osVersion: identity.osVersion,
    architecture: architecture(),
    agentVersion,
    deviceRole: role.data ?? guessRole(identity),
    isVirtual: identity.isVirtual,
    virtualizationPlatform: identity.virtualizationPlatform,
    hardwareInfo,
  }
}

async function introduce(
  serverUrl: string,
  trust: Trust,
  body: EnrollRequest,
  oldToken: string | undefined,
  log: Log,
): Promise<unknown> {
  const client = createServerClient({ serverUrl, trust, log, signal: new AbortController().signal })
  const headers: Record<string, string> = oldToken === undefined ? {} : { 'x-agent-reenrollment-token': oldToken }
  // Not tried again: a lost answer may have used up the key already.
  const answer = await client.call(enrollEndpoint, { body }, { headers, retries: 0 }).catch((error) => {
    throw new AgentFailure(exitCode.network, `Cannot reach ${serverUrl}: ${networkAdvice(error)}`)
  })
  if (answer.status === 200 || answer.status === 201) return answer.json
  throw refusal(answer)
}

function networkAdvice(error: unknown): string {
  const reason = reasonOf(error)
  const isCertificate = /certificate|self.signed|altname/i.test(reason)
  return isCertificate
    ? `its certificate is not trusted (${reason}). Give the fingerprint the console shows with --ca-fingerprint, and use an address the certificate names.`
    : `${reason}. Check address, port and firewall.`
}

const oldDeviceReasons = [
  'hostname_collision_requires_existing_device_token',
  'existing_decommissioned_row_has_suspended_token',
  'device_quarantined',
]

const refusalBody = z.object({ error: z.string().catch(''), reason: z.string().optional().catch(undefined) })
const limitReached = z.object({ code: z.literal('DEVICE_LIMIT_REACHED'), currentDevices: z.int(), maxDevices: z.int() })

function refusal({ status, json }: Answer): AgentFailure {
  const limit = limitReached.safeParse(json).data
  if (limit) {
    return new AgentFailure(
      exitCode.refused,
      `Enrollment refused: the device limit is reached (${limit.currentDevices} of ${limit.maxDevices}). The key is valid; remove a device in the console, or have the limit raised.`,
    )
  }
  const { error = '', reason } = refusalBody.safeParse(json).data ?? {}
  const said = error ? ` (${error})` : ''
  if (reason && oldDeviceReasons.includes(reason)) {
    return new AgentFailure(
      exitCode.oldDeviceInTheWay,
      `This device is already known and locked${said}; an administrator has to approve or remove it in the console first.`,
    )
  }
  if (status === 401 || status === 403)
    return new AgentFailure(exitCode.refused, `Enrollment refused${said}; ${keyAdvice(reason)}`)
  if (status === 404) {
    return new AgentFailure(exitCode.notFound, 'There is no enrollment service at this address; check --server.')
  }
  if (status === 429)
    return new AgentFailure(exitCode.rateLimited, 'Too many enrollments just now; try again in a minute.')
  if (status >= 500) {
    return new AgentFailure(
      exitCode.serverError,
      `The server reported an error (${status})${said}; try again, then check its log.`,
    )
  }
  return new AgentFailure(exitCode.unexpected, `The server refused the request (${status})${said}.`)
}

function keyAdvice(reason: string | undefined): string {
  if (reason === 'enrollment_key_expired' || reason?.startsWith('enrollment_key_exhausted')) {
    return 'create a new enrollment key in the console.'
  }
  if (reason === 'tenant_inactive') return 'the organization is not active.'
  return 'check the enrollment key and, if one is set, the enrollment secret.'
}

const authoritiesIn = (pem: string | undefined): string[] => {
  try {
    return pem === undefined ? [] : parseAuthorities(pem)
  } catch {
    return [] // the pinned one is enough, heartbeats bring the rest
  }
}

/** Makes sure that the state can be stored before the key is used up. */
async function prepare(stateDir: string): Promise<void> {
  try {
    await prepareStateDir(stateDir)
    accessSync(stateDir, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw new AgentFailure(
      exitCode.badConfig,
      `Cannot write to ${stateDir}: ${reasonOf(error)}; run as administrator or choose --state-dir.`,
    )
  }
}

function keep(stateDir: string, state: AgentState, authorities: string[] | undefined): void {
  try {
    if (authorities) saveAuthorities(stateDir, [...new Set(authorities)])
    else forgetAuthorities(stateDir)
    saveState(stateDir, state)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw new AgentFailure(exitCode.unexpected, 'The server returned an agent ID or token that cannot be used.')
  }
}
