import { cpus, totalmem } from 'node:os'
import si from 'systeminformation'
import type { Hardware } from '../../shared/device/inventory.ts'
import { fact, gigabytes, megabytes } from './text.ts'

export async function readHardware(): Promise<Hardware> {
  const [system, bios, board, chassis, cpu, graphics, disks, volumes] = await Promise.all([
    si.system(),
    si.bios(),
    si.baseboard(),
    si.chassis(),
    si.cpu(),
    si.graphics(),
    si.diskLayout(),
    si.fsSize(),
  ])
  return {
    cpuModel: fact(cpus()[0]?.model) ?? fact(`${cpu.manufacturer} ${cpu.brand}`),
    cpuCores: cpu.physicalCores || null,
    cpuThreads: cpu.cores || null,
    ramTotalMb: megabytes(totalmem()),
    diskTotalGb: totalGb(disks, volumes),
    gpuModel: fact(graphics.controllers.map(({ model }) => model).find(Boolean)),
    serialNumber: fact(system.serial) ?? fact(chassis.serial),
    manufacturer: fact(system.manufacturer),
    model: fact(system.model),
    motherboardManufacturer: fact(board.manufacturer),
    motherboardProduct: fact(board.model),
    motherboardVersion: fact(board.version),
    biosVersion: fact(bios.version),
    chassisType: fact(chassis.type, 100),
  }
}

/** Disks where the system shows them, else the volumes, each device once however often it is mounted. */
export function totalGb(
  disks: Pick<si.Systeminformation.DiskLayoutData, 'size'>[],
  volumes: Pick<si.Systeminformation.FsSizeData, 'fs' | 'size'>[],
): number | null {
  const fromDisks = disks.reduce((sum, disk) => sum + (disk.size || 0), 0)
  const byDevice = new Map(volumes.map((volume) => [volume.fs, volume.size]))
  const bytes = fromDisks || [...byDevice.values()].reduce((sum, size) => sum + size, 0)
  return bytes > 0 ? gigabytes(bytes) : null
}
