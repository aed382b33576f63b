import { z } from 'zod'
import { agentAccess, endpoint } from '../endpoint.ts'
import { isRecord } from '../objects.ts'

const fiveMegabytes = 5 * 1024 * 1024
const optionalNumber = z.number().optional().catch(undefined)
const optionalText = (max: number) => z.string().max(max).optional().catch(undefined)
const optionalFlag = z.boolean().optional().catch(undefined)

/** Stands in every row of the device list, so a device may not make it large. */
const maxBatteryFields = 20
const maxBatteryCharacters = 1000

const isBattery = (value: unknown): boolean => {
  if (!isRecord(value) || Array.isArray(value)) return false
  let fields = 0
  for (const key in value) {
    fields++
    if (fields > maxBatteryFields || isRecord(value[key])) return false
  }
  return JSON.stringify(value).length <= maxBatteryCharacters
}
const battery = z.custom<Record<string, string | number | boolean | null>>(isBattery).meta({
  type: 'object',
  maxProperties: maxBatteryFields,
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
})

/** The five required numbers are checked, the rest is dropped when malformed. */
export const heartbeatMetrics = z.object({
  cpuPercent: z.number(),
  ramPercent: z.number(),
  ramUsedMb: z.int(),
  diskPercent: z.number(),
  diskUsedGb: z.number(),
  diskActivityAvailable: optionalFlag,
  diskReadBytes: optionalNumber,
  diskWriteBytes: optionalNumber,
  diskReadBps: optionalNumber,
  diskWriteBps: optionalNumber,
  diskReadOps: optionalNumber,
  diskWriteOps: optionalNumber,
  networkInBytes: optionalNumber,
  networkOutBytes: optionalNumber,
  bandwidthInBps: optionalNumber,
  bandwidthOutBps: optionalNumber,
  processCount: optionalNumber,
})
export type HeartbeatMetrics = z.infer<typeof heartbeatMetrics>

export const agentParams = z.object({ agentId: z.string().max(200) })

/** A command as the device receives it, in a heartbeat answer or as a top-level WebSocket frame. */
export const commandDirective = z.object({
  id: z.string(),
  type: z.string(),
  payload: z.record(z.string(), z.unknown()),
})
export type CommandDirective = z.infer<typeof commandDirective>

export const heartbeat = endpoint({
  name: 'agents.heartbeat',
  method: 'POST',
  path: '/agents/:agentId/heartbeat',
  summary: 'A sign of life with metrics; the answer carries queued commands. Exactly 200, always an object',
  access: agentAccess({ roles: ['agent', 'watchdog'], whileDraining: true }),
  params: agentParams,
  body: z.object({
    status: z.enum(['ok', 'warning', 'error']),
    agentVersion: z.string().max(50),
    role: z.enum(['agent', 'watchdog']).optional(),
    metrics: heartbeatMetrics.optional(),
    pendingReboot: optionalFlag,
    isHeadless: optionalFlag,
    lastUser: optionalText(255),
    uptime: optionalNumber,
    hostname: optionalText(255),
    osVersion: optionalText(255),
    osBuild: optionalText(100),
    watchdogVersion: optionalText(50),
    /** The engine of backups: `restic/0.18.0`; the public agent has one of its own. */
    backupVersion: optionalText(50),
    serverUrl: optionalText(500),
    deviceRole: optionalText(50),
    isVirtual: optionalFlag,
    virtualizationPlatform: optionalText(50),
    battery: battery.optional().catch(undefined),
    ipHistoryUpdate: z
      .object({
        currentIPs: z
          .array(
            z.object({
              interfaceName: z.string(),
              ipAddress: z.string(),
              ipType: z.string(),
              macAddress: z.string().optional(),
            }),
          )
          .max(200),
      })
      .optional()
      .catch(undefined),
    /** Ours: SHA-256 of the CA certificates the device trusts, so that the server knows who still needs the next one. */
    trustFingerprints: z.array(z.string().max(64)).max(10).optional().catch(undefined),
  }),
  reply: z.object({
    commands: z.array(commandDirective),
    configUpdate: z.null(),
    renewCert: z.literal(false),
    rotateToken: z.literal(false),
    helperEnabled: z.literal(false),
    uacInterceptionEnabled: z.literal(false),
    /** Ours: present when the device lacks a CA certificate that will be needed. */
    trust: z.object({ caPem: z.string() }).optional(),
  }),
  bodyLimit: fiveMegabytes,
})
