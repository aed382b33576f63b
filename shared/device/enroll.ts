import { z } from 'zod'
import { endpoint, publicAccess } from '../endpoint.ts'
import { deviceRole, hardware, lenient, osType, virtualizationPlatform } from './inventory.ts'

const required = z.string().min(1).max(255)

/** `POST /agents/enroll`: no session, the raw enrollment key is the credential. */
export const enroll = endpoint({
  name: 'agents.enroll',
  method: 'POST',
  path: '/agents/enroll',
  summary: 'Enroll a device with an enrollment key',
  access: publicAccess,
  body: z.object({
    enrollmentKey: z.string().min(1).max(512),
    enrollmentSecret: z.string().max(512).optional(),
    hostname: required,
    osVersion: required,
    architecture: z.string().min(1).max(50),
    agentVersion: z.string().min(1).max(50),
    osType,
    deviceRole: deviceRole.optional().catch(undefined),
    isVirtual: z.boolean().optional().catch(undefined),
    virtualizationPlatform: virtualizationPlatform.optional().catch(undefined),
    hardwareInfo: lenient(hardware).optional().catch(undefined),
    networkInfo: z
      .array(
        z.object({
          name: z.string().max(255),
          mac: z.string().max(64).optional(),
          ip: z.string().max(64).optional(),
          isPrimary: z.boolean().optional(),
        }),
      )
      .max(100)
      .optional()
      .catch(undefined),
  }),
  status: 201,
  reply: z.object({
    agentId: z.string(),
    deviceId: z.uuid(),
    authToken: z.string(),
    watchdogAuthToken: z.string(),
    helperAuthToken: z.string(),
    orgId: z.uuid(),
    siteId: z.uuid(),
    config: z.object({
      heartbeatIntervalSeconds: z.int(),
      metricsCollectionIntervalSeconds: z.int(),
      enabledCollectors: z.array(z.string()),
    }),
    mtls: z.null(),
    manifestTrustKeys: z.array(z.unknown()),
    manifestKeyDelegations: z.array(z.unknown()),
    /** Ours: the CA certificates to trust from now on, PEM; the public agent ignores the key. */
    trust: z.object({ caPem: z.string() }).nullable(),
  }),
  audit: 'agent.enroll',
  bodyLimit: 256 * 1024,
})
export type EnrollRequest = z.input<typeof enroll.body & z.ZodType>
