import type { DeviceRow } from '../../../shared/api/devices.ts'
import type { OsType } from '../../../shared/device/inventory.ts'

export const osNames: Record<OsType, string> = { windows: 'Windows', macos: 'macOS', linux: 'Linux' }

export const deviceName = (device: Pick<DeviceRow, 'displayName' | 'hostname'>): string =>
  device.displayName || device.hostname

/** `Linux` next to a version that names the system would be redundant. */
export function osText(device: Pick<DeviceRow, 'osType' | 'osVersion'>): string {
  const system = osNames[device.osType]
  if (!device.osVersion) return system
  return /^[\d.]/.test(device.osVersion) ? `${system} ${device.osVersion}` : device.osVersion
}

/** The version without the name of a system that has an icon; the name, where no version is known. */
export const osVersionText = (device: Pick<DeviceRow, 'osType' | 'osVersion'>): string =>
  osText(device).replace(/^(windows|macos|ubuntu|debian(?: gnu\/linux)?) (?=.)/i, '')
