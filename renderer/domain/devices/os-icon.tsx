import { IconBrandApple, IconBrandDebian, IconBrandUbuntu, IconBrandWindows, IconTerminal2 } from '@tabler/icons-react'
import type { DeviceRow } from '../../../shared/api/devices.ts'

type System = Pick<DeviceRow, 'osType' | 'osVersion'>

/** The sign of an operating system; for the eye only, next to its name. */
export function OsIcon({ system }: { system: System }) {
  const Icon = iconOf(system)
  return <Icon size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
}

function iconOf({ osType, osVersion }: System) {
  if (osType === 'windows') return IconBrandWindows
  if (osType === 'macos') return IconBrandApple
  if (/ubuntu/i.test(osVersion ?? '')) return IconBrandUbuntu
  return /debian/i.test(osVersion ?? '') ? IconBrandDebian : IconTerminal2
}
