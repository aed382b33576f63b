import { setFlagsFromString } from 'node:v8'

/**
 * Backups pass through the appliance by the gigabyte, and each 32 MB of them would make V8 look at all of its memory:
 * two thirds of the CPU that an upload takes (`npm run bench -- backup`). Counted together with its own memory, and with
 * room for three times of that, it looks ten times less often. The memory of the process is the same in either case.
 */
export function calmCollector(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--heap-growing-percent=200')
}
