import { osType } from '../../../../shared/device/inventory.ts'
import { osNames } from '../../../domain/devices/device-labels.ts'

/** `Linux amd64`. */
export function platformName(platform: string): string {
  const [os, architecture] = platform.split('-')
  const known = osType.safeParse(os).data
  return known ? `${osNames[known]} ${architecture}` : platform
}
