import { z } from 'zod'

/**
 * Facts a device reports about itself. Producers are many (the public Go agent among them), so a missing or
 * malformed optional fact is dropped rather than the whole report refused.
 */

export const osType = z.enum(['windows', 'macos', 'linux'])
export type OsType = z.infer<typeof osType>

export const deviceRole = z.enum([
  'workstation',
  'server',
  'printer',
  'router',
  'switch',
  'firewall',
  'access_point',
  'phone',
  'iot',
  'camera',
  'nas',
  'unknown',
])

export const virtualizationPlatform = z.enum([
  'vmware',
  'hyperv',
  'virtualbox',
  'qemu',
  'kvm',
  'xen',
  'bochs',
  'parallels',
])

const text = (max: number) => z.string().max(max).nullable()
const whole = z.int().nonnegative().nullable()
const amount = z.number().nonnegative().nullable()

export const hardware = z.object({
  cpuModel: text(255),
  cpuCores: whole,
  cpuThreads: whole,
  ramTotalMb: whole,
  diskTotalGb: amount,
  gpuModel: text(255),
  serialNumber: text(255),
  manufacturer: text(255),
  model: text(255),
  motherboardManufacturer: text(255),
  motherboardProduct: text(255),
  motherboardVersion: text(255),
  biosVersion: text(255),
  chassisType: text(100),
})
export type Hardware = z.infer<typeof hardware>

export const diskVolume = z.object({
  mountPoint: z.string().max(1000),
  device: text(1000),
  fsType: text(100),
  totalGb: amount,
  usedGb: amount,
  freeGb: amount,
  usedPercent: amount,
  health: text(100),
})
export type DiskVolume = z.infer<typeof diskVolume>

export const adapter = z.object({
  interfaceName: z.string().max(255),
  macAddress: text(64),
  ipAddress: text(64),
  ipType: text(16),
  isPrimary: z.boolean().nullable(),
})
export type Adapter = z.infer<typeof adapter>

export const vpn = z.object({
  provider: z.string().max(100),
  active: z.boolean(),
  interfaceName: text(255),
  ipv4: text(64),
  ipv6: text(64),
  dnsName: text(255),
  detectionSource: text(100),
})
export type Vpn = z.infer<typeof vpn>

export const connection = z.object({
  protocol: z.string().max(16),
  localAddr: text(64),
  localPort: whole,
  remoteAddr: text(64),
  remotePort: whole,
  state: text(32),
  pid: whole,
  processName: text(255),
})
export type Connection = z.infer<typeof connection>

export const installedSoftware = z.object({
  name: z.string().min(1).max(500),
  version: text(255),
  vendor: text(255),
  installDate: text(64),
  installLocation: text(1000),
  uninstallString: text(2000),
})
export type InstalledSoftware = z.infer<typeof installedSoftware>

type Lenient<S extends z.ZodRawShape> = {
  [K in keyof S]: null extends z.output<S[K]> ? z.ZodCatch<S[K]> : S[K]
}

/** The same shape as a device may report it: an absent or malformed nullable fact becomes null. */
export function lenient<S extends z.ZodRawShape>(shape: z.ZodObject<S>): z.ZodObject<Lenient<S>> {
  const fields = Object.entries(shape.shape as unknown as Record<string, z.ZodType>).map(([key, field]) => [
    key,
    field.safeParse(null).success ? field.catch(null) : field,
  ])
  return z.object(Object.fromEntries(fields)) as unknown as z.ZodObject<Lenient<S>>
}
