import type { DeviceRow } from '../../../../shared/api/devices.ts'

export type MovableDevice = Pick<
  DeviceRow,
  'id' | 'hostname' | 'displayName' | 'orgId' | 'orgName' | 'siteId' | 'siteName'
>

/** The value of a field that all of the devices have in common. */
export function commonTo(devices: readonly MovableDevice[], field: keyof MovableDevice): string | undefined {
  const values = new Set(devices.map((device) => device[field] ?? undefined))
  return values.size === 1 ? [...values][0] : undefined
}
