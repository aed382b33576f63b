import si from 'systeminformation'
import type { DiskVolume } from '../../shared/device/inventory.ts'
import { gigabytes } from './text.ts'

type Volume = Pick<si.Systeminformation.FsSizeData, 'fs' | 'type' | 'size' | 'used' | 'available' | 'use' | 'mount'>
type Disk = Pick<si.Systeminformation.DiskLayoutData, 'device' | 'smartStatus'>

export async function readDisks(): Promise<DiskVolume[]> {
  const [volumes, disks] = await Promise.all([si.fsSize(), si.diskLayout()])
  return toDisks(volumes, disks)
}

const readOnlyImages = ['squashfs', 'iso9660', 'udf', 'efivarfs']

/** Volumes a person would call a disk: no image files, no container layers, no bind mounts of what is listed already. */
export function toDisks(volumes: Volume[], disks: Disk[]): DiskVolume[] {
  const shown = volumes.filter(
    ({ type, size, mount }) =>
      size > 0 &&
      !readOnlyImages.includes(type.toLowerCase()) &&
      (mount === '/' || type !== 'overlay') &&
      !/^\/(snap|var\/lib\/docker|System\/Volumes\/(VM|Preboot|Update|xarts|iSCPreboot|Hardware))(\/|$)/.test(mount),
  )
  const seen = new Set<string>()
  const once = shown.filter(({ fs, mount }) => {
    const isRepeated = fs.startsWith('/dev/') && seen.has(fs) && mount !== '/'
    seen.add(fs)
    return !isRepeated
  })
  return once.slice(0, 100).map((volume) => ({
    mountPoint: volume.mount,
    device: volume.fs,
    fsType: volume.type || null,
    totalGb: gigabytes(volume.size),
    usedGb: gigabytes(volume.used),
    freeGb: gigabytes(volume.available),
    usedPercent: volume.use ?? null,
    health: healthOf(volume.fs, disks),
  }))
}

/** The self-diagnosis of the disk a partition lies on (`/dev/sda1` on `/dev/sda`). */
function healthOf(device: string, disks: Disk[]): string | null {
  const status = disks.find((disk) => disk.device && device.startsWith(disk.device))?.smartStatus
  if (!status || /unknown|not supported/i.test(status)) return null
  return /^(ok|verified|passed)$/i.test(status) ? 'healthy' : status
}
