import { readdir, statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import si from 'systeminformation'
import type { HeartbeatMetrics } from '../../shared/device/heartbeat.ts'
import { isVirtualInterface } from './network.ts'
import { gigabytes, megabytes, percent } from './text.ts'

export interface MetricsSampler {
  /** Rates are averages since the last call; the first call has none. */
  sample(): Promise<HeartbeatMetrics>
}

/** Some platforms start a process to read counters; a beat does not wait longer for it. */
const patienceMs = 2000

export function createMetricsSampler(): MetricsSampler {
  let times = cpuTimes()
  let counters: Counters | undefined
  return {
    async sample() {
      const before = { times, counters }
      times = cpuTimes()
      const [memory, volume, activity, processCount] = await Promise.all([
        readMemory(),
        readSystemVolume(),
        Promise.race([readCounters(), setTimeout(patienceMs, undefined, { ref: false })]),
        countProcesses(),
      ])
      counters = activity ?? counters
      return {
        cpuPercent: cpuPercent(before.times, times),
        ...memory,
        ...volume,
        ...(activity && { ...totals(activity), ...(before.counters && rates(before.counters, activity)) }),
        diskActivityAvailable: activity?.disk !== undefined,
        processCount,
      }
    },
  }
}

export interface CpuTimes {
  busy: number
  total: number
}

function cpuTimes(): CpuTimes {
  const sum = { busy: 0, total: 0 }
  for (const { times } of cpus()) {
    const total = times.user + times.nice + times.sys + times.idle + times.irq
    sum.total += total
    sum.busy += total - times.idle
  }
  return sum
}

export const cpuPercent = (before: CpuTimes, after: CpuTimes): number =>
  Math.min(100, Math.max(0, percent(after.busy - before.busy, after.total - before.total)))

async function readMemory() {
  // macOS counts its file cache as used; everywhere else Node's "free" is what programs could still get.
  const available = process.platform === 'darwin' ? (await si.mem()).available : freemem()
  const used = totalmem() - available
  return { ramPercent: percent(used, totalmem()), ramUsedMb: megabytes(used) }
}

async function readSystemVolume() {
  const root = process.platform === 'win32' ? `${process.env.SystemDrive ?? 'C:'}\\` : '/'
  const { blocks, bfree, bavail, bsize } = await statfs(root)
  const used = blocks - bfree
  return { diskPercent: percent(used, used + bavail), diskUsedGb: gigabytes(used * bsize) }
}

export interface Counters {
  at: number
  disk: { readBytes: number; writeBytes: number; readOps: number; writeOps: number } | undefined
  network: { inBytes: number; outBytes: number }
}

async function readCounters(): Promise<Counters | undefined> {
  try {
    const [bytes, operations, interfaces] = await Promise.all([si.fsStats(), si.disksIO(), si.networkStats('*')])
    const physical = interfaces.filter(({ iface }) => !isVirtualInterface(iface))
    const sum = (count: (one: si.Systeminformation.NetworkStatsData) => number) =>
      physical.reduce((total, one) => total + (count(one) || 0), 0)
    return {
      at: performance.now(),
      // Windows has no such counters in this library
      disk: bytes?.tx
        ? { readBytes: bytes.rx, writeBytes: bytes.wx, readOps: operations?.rIO ?? 0, writeOps: operations?.wIO ?? 0 }
        : undefined,
      network: { inBytes: sum(({ rx_bytes }) => rx_bytes), outBytes: sum(({ tx_bytes }) => tx_bytes) },
    }
  } catch {
    return undefined
  }
}

const totals = ({ disk, network }: Counters) => ({
  diskReadBytes: disk?.readBytes,
  diskWriteBytes: disk?.writeBytes,
  networkInBytes: network.inBytes,
  networkOutBytes: network.outBytes,
})

/** Per second, from two readings; counters that ran backwards (a disk or adapter went away) give 0. */
export function rates(before: Counters, after: Counters) {
  const seconds = (after.at - before.at) / 1000
  const rate = (from: number, to: number) => (seconds > 0 ? Math.round(Math.max(0, to - from) / seconds) : 0)
  const disk = before.disk &&
    after.disk && {
      diskReadBps: rate(before.disk.readBytes, after.disk.readBytes),
      diskWriteBps: rate(before.disk.writeBytes, after.disk.writeBytes),
      diskReadOps: rate(before.disk.readOps, after.disk.readOps),
      diskWriteOps: rate(before.disk.writeOps, after.disk.writeOps),
    }
  return {
    ...disk,
    bandwidthInBps: rate(before.network.inBytes, after.network.inBytes),
    bandwidthOutBps: rate(before.network.outBytes, after.network.outBytes),
  }
}

/** Only where it costs one directory listing. */
async function countProcesses(): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).length
}
