import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { emailAddress, instant, name255, newPassword, ok, pathId } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'
import { sessionUser, tokens } from './auth.ts'
import { factorProof } from './mfa.ts'

export const health = endpoint({
  name: 'system.health',
  method: 'GET',
  path: '/health',
  summary: 'Is the appliance ready?',
  access: publicAccess,
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
})

export const bootstrapState = endpoint({
  name: 'system.bootstrap-state',
  method: 'GET',
  path: '/system/bootstrap',
  summary: 'Does the appliance still wait for its first administrator?',
  access: publicAccess,
  reply: z.object({ needed: z.boolean() }),
})

export const bootstrap = endpoint({
  name: 'system.bootstrap',
  method: 'POST',
  path: '/system/bootstrap',
  summary: 'Create the company and its first administrator, once, with the one-time setup code',
  access: publicAccess,
  body: z.object({
    setupCode: z.string().min(1).max(100),
    companyName: name255.min(2),
    name: name255,
    email: emailAddress,
    password: newPassword,
    /** Whether anyone may register a company of their own from then on. Open where it is left out. */
    openRegistration: z.boolean().optional(),
  }),
  status: 201,
  reply: z.object({
    user: sessionUser,
    partner: z.object({ id: z.uuid(), name: z.string(), slug: z.string(), status: z.string() }),
    tokens,
  }),
  audit: 'partner.create',
})

export const setupComplete = endpoint({
  name: 'system.setup-complete',
  method: 'POST',
  path: '/system/setup-complete',
  summary: 'Finish the setup wizard',
  access: userAccess(),
  reply: ok,
  audit: 'user.setup.complete',
})

const job = z.object({
  name: z.string(),
  description: z.string(),
  schedule: z.string(),
  isRunning: z.boolean(),
  lastStartedAt: instant.nullable(),
  lastFinishedAt: instant.nullable(),
  lastDurationMs: z.int().nullable(),
  lastOutcome: z.enum(['success', 'failure']).nullable(),
  lastError: z.string().nullable(),
  nextRunAt: instant.nullable(),
})
export type JobView = z.infer<typeof job>

export const listJobs = endpoint({
  name: 'jobs.list',
  method: 'GET',
  path: '/system/jobs',
  summary: 'Background jobs with last run, next run and outcome',
  access: userAccess(undefined, { platformAdmin: true }),
  reply: z.object({ data: z.array(job) }),
})

export const runJob = endpoint({
  name: 'jobs.run',
  method: 'POST',
  path: '/system/jobs/:name/run',
  summary: 'Run one background job now and wait for it',
  access: userAccess(undefined, { platformAdmin: true }),
  params: z.object({ name: z.string() }),
  reply: z.object({ data: job }),
  audit: 'platform_admin.jobs.run',
})

const taskState = z.enum(['waiting', 'active', 'completed', 'failed', 'cancelled', 'expired'])
const taskAction = z.enum(['retry', 'cancel'])

/** What a task is about is not told: it may be of a company that the administrator does not belong to. */
const task = z.object({
  id: z.string(),
  /** Such as `mail.send`. */
  kind: z.string(),
  description: z.string(),
  state: taskState,
  attempts: z.int(),
  /** How far it is, in whatever it counts. */
  progress: z.object({ done: z.int(), total: z.int().nullable() }).nullable(),
  /** Why the last attempt failed. */
  error: z.string().nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  nextAttemptAt: instant.nullable(),
  actions: z.array(taskAction),
})
export type TaskView = z.infer<typeof task>

/** `open`: not over; `ended`: over, and not failed. */
export const taskPart = z.enum(['open', 'failed', 'ended'])
export type TaskPart = z.infer<typeof taskPart>

export const listTasks = endpoint({
  name: 'tasks.list',
  method: 'GET',
  path: '/system/tasks',
  summary: 'Background tasks, newest first: mail, merges and other one-time work',
  access: userAccess(undefined, { platformAdmin: true }),
  query: z.object({ ...pageQuery, show: taskPart.optional().catch(undefined) }),
  reply: paged(task).extend({ counts: z.object({ open: z.int(), failed: z.int(), ended: z.int() }) }),
})

export const retryTask = endpoint({
  name: 'tasks.retry',
  method: 'POST',
  path: '/system/tasks/:id/retry',
  summary: 'Try a background task that waits or has failed again now',
  access: userAccess(undefined, { platformAdmin: true }),
  params: z.object({ id: pathId }),
  reply: ok,
  audit: 'platform_admin.tasks.retry',
})

export const cancelTask = endpoint({
  name: 'tasks.cancel',
  method: 'POST',
  path: '/system/tasks/:id/cancel',
  summary: 'Give up on a background task, or take one that has failed off the list',
  access: userAccess(undefined, { platformAdmin: true }),
  params: z.object({ id: pathId }),
  reply: ok,
  audit: 'platform_admin.tasks.cancel',
})

export const rotateCa = endpoint({
  name: 'system.rotate-ca',
  method: 'POST',
  path: '/system/tls/rotate-ca',
  summary: 'Stage the next certificate authority: devices learn it with their heartbeats, then it takes over',
  access: userAccess(undefined, { platformAdmin: true, mfa: 'session' }),
  reply: ok,
  audit: 'system.ca.rotate',
})

export const updatePublicAddress = endpoint({
  name: 'system.update-public-address',
  method: 'PUT',
  path: '/system/public-address',
  summary: 'Set the address that links in mail begin with; null for the first address of the appliance',
  access: userAccess(undefined, { platformAdmin: true, mfa: 'session' }),
  /** Links that open accounts lead there: a session that is not fresh needs the password. */
  body: z.object({ url: z.string().trim().max(300).nullable(), currentPassword: factorProof.currentPassword }),
  reply: ok,
  audit: 'platform_admin.public_address',
})

/** What a device needs to trust and reach this appliance. */
export const connectionInfo = endpoint({
  name: 'system.connection',
  method: 'GET',
  path: '/system/connection',
  summary: 'Addresses of the appliance, fingerprint of its certificate authority, checksum of the device agent',
  access: userAccess('organizations:read'),
  reply: z.object({
    /** Origins a device may use, best first, such as `https://box.local:8443`. */
    addresses: z.array(z.object({ url: z.string(), kind: z.enum(['configured', 'host', 'mdns', 'lan', 'localhost']) })),
    /** The first of them, which links in mail begin with, and who says so. */
    publicAddress: z.object({ url: z.string(), source: z.enum(['environment', 'stored', 'automatic']) }),
    tls: z.enum(['auto', 'files', 'off']),
    /** SHA-256 of the CA certificate, 64 lower-case hex digits; null unless the appliance runs its own CA. */
    caFingerprint: z.string().nullable(),
    caExpiresAt: instant.nullable(),
    certificateExpiresAt: instant.nullable(),
    /** Devices: those within the caller's reach. */
    caRotation: z
      .object({ nextFingerprint: z.string(), switchAt: instant, confirmedDevices: z.int(), totalDevices: z.int() })
      .nullable(),
    /** The single-file agent; null when it has not been built. */
    agent: z.object({ path: z.string(), sha256: z.string(), version: z.string() }).nullable(),
  }),
})

export const caCertificate = endpoint({
  name: 'system.ca-certificate',
  method: 'GET',
  path: '/system/ca.pem',
  summary:
    "The certificate authorities in force, PEM; a device compares the first one's fingerprint before it trusts it",
  access: publicAccess,
  reply: z.string(),
  content: 'application/x-pem-file',
})

export const agentFile = endpoint({
  name: 'system.agent-file',
  method: 'GET',
  path: '/agents/download/homeport-agent.mjs',
  summary: 'The device agent as one file',
  access: publicAccess,
  reply: z.string(),
  content: 'text/javascript',
})

export const openApiDocument = endpoint({
  name: 'system.openapi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This API, described',
  access: publicAccess,
  reply: z.string(),
  content: 'application/json',
})

export const metrics = endpoint({
  name: 'system.metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Prometheus text; for a platform admin, or anyone on the appliance itself',
  access: publicAccess,
  reply: z.string(),
  content: 'text/plain; version=0.0.4',
})
