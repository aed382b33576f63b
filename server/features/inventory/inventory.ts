import type { LiveEvent } from '../../../shared/api/events.ts'
import type { Adapter, Connection, DiskVolume, Hardware, Vpn } from '../../../shared/device/inventory.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { type Secrets, sha256 } from '../../platform/secrets.ts'
import type { ReportKind } from './tables.ts'

/** Far above what disks have. Keys are only added, so a faulty device could fill the disk of the appliance. */
const maxRecoveryKeys = 1000
const maxRecoveryKeyCharacters = 4000

/** What `device_reports.content` holds, by the kind of the report. */
interface ReportContents {
  disks: DiskVolume[]
  network: Adapter[]
  vpns: Vpn[]
  connections: Connection[]
}

type Part = Extract<LiveEvent, { type: 'device.inventory' }>['part']

/** Images of these are always full. */
const readOnlyFileSystems = ['squashfs', 'erofs', 'iso9660', 'udf', 'cdfs']

const fullestPercent = (disks: readonly DiskVolume[]): number | null =>
  disks.reduce<number | null>(
    (fullest, { fsType, usedPercent }) =>
      usedPercent === null || readOnlyFileSystems.includes(fsType ?? '')
        ? fullest
        : Math.max(fullest ?? 0, usedPercent),
    null,
  )

/** What devices report of themselves. Every report replaces the one before; an unchanged one costs a hash. */
export class Inventory {
  readonly #db: Database
  readonly #clock: Clock
  readonly #live: LiveEvents
  readonly #secrets: Secrets

  constructor(db: Database, clock: Clock, live: LiveEvents, secrets: Secrets) {
    this.#db = db
    this.#clock = clock
    this.#live = live
    this.#secrets = secrets
  }

  reportHardware(actor: DeviceActor, hardware: Hardware): void {
    this.#report(actor, 'hardware', hardware, 'hardware', () => this.#saveHardware(actor.deviceId, hardware))
  }

  /** What an enrollment says, mostly less than a report: the next one is saved even if it repeats the last. */
  enrolledHardware(deviceId: string, hardware: Hardware): void {
    this.#saveHardware(deviceId, hardware)
    this.#db.run(q.deleteFrom('device_reports').where('device_id', '=', deviceId).where('kind', '=', 'hardware'))
  }

  #saveHardware(deviceId: string, hardware: Hardware): void {
    const facts = {
      cpu_model: hardware.cpuModel,
      cpu_cores: hardware.cpuCores,
      cpu_threads: hardware.cpuThreads,
      ram_total_mb: hardware.ramTotalMb,
      disk_total_gb: hardware.diskTotalGb,
      gpu_model: hardware.gpuModel,
      serial_number: hardware.serialNumber,
      manufacturer: hardware.manufacturer,
      model: hardware.model,
      motherboard_manufacturer: hardware.motherboardManufacturer,
      motherboard_product: hardware.motherboardProduct,
      motherboard_version: hardware.motherboardVersion,
      bios_version: hardware.biosVersion,
      chassis_type: hardware.chassisType,
      updated_at: isoNow(this.#clock),
    }
    this.#db.run(
      q
        .insertInto('device_hardware')
        .values({ device_id: deviceId, ...facts })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet(facts)),
    )
  }

  reportDisks(actor: DeviceActor, disks: DiskVolume[]): number {
    this.#report(actor, 'disks', disks, 'disks', () =>
      this.#db.run(
        q
          .updateTable('devices')
          .set({ disk_percent: fullestPercent(disks) })
          .where('id', '=', actor.deviceId),
      ),
    )
    return disks.length
  }

  /** `vpns` undefined means the device could not tell: what was known stays. */
  reportNetwork(actor: DeviceActor, adapters: Adapter[], vpns: Vpn[] | undefined): void {
    this.#report(actor, 'network', adapters, 'network', () => {
      const address = (
        adapters.find((adapter) => adapter.isPrimary && adapter.ipType !== 'ipv6') ??
        adapters.find((adapter) => adapter.isPrimary)
      )?.ipAddress
      if (address) this.#db.run(q.updateTable('devices').set({ lan_ip: address }).where('id', '=', actor.deviceId))
    })
    if (vpns) this.#report(actor, 'vpns', vpns, 'network')
  }

  reportConnections(actor: DeviceActor, connections: Connection[]): number {
    this.#report(actor, 'connections', connections, 'connections')
    return connections.length
  }

  /** Disk recovery keys are secrets: kept encrypted, shown nowhere yet. None replaces another: the disk may need it. */
  keepRecoveryKeys(actor: DeviceActor, keys: readonly unknown[]): void {
    this.#db.transaction(() => {
      let room = maxRecoveryKeys - this.#countRecoveryKeys(actor.deviceId)
      for (const key of keys) {
        const text = JSON.stringify(key)
        if (room <= 0 || text.length > maxRecoveryKeyCharacters) continue
        const key_hash = sha256(text)
        const encrypted = this.#secrets.encrypt(text, `recovery_key:${actor.deviceId}`)
        room -= this.#db.run(
          q
            .insertInto('device_recovery_keys')
            .values({ device_id: actor.deviceId, key_hash, encrypted, reported_at: isoNow(this.#clock) })
            .onConflict((conflict) => conflict.doNothing()),
        )
      }
    })
  }

  #countRecoveryKeys(deviceId: string): number {
    const count = q.selectFrom('device_recovery_keys').select((select) => select.fn.countAll<number>().as('total'))
    return this.#db.first(count.where('device_id', '=', deviceId))?.total ?? 0
  }

  hardware(deviceId: string): Hardware | null {
    const row = this.#db.first(q.selectFrom('device_hardware').selectAll().where('device_id', '=', deviceId))
    if (!row) return null
    return {
      cpuModel: row.cpu_model,
      cpuCores: row.cpu_cores,
      cpuThreads: row.cpu_threads,
      ramTotalMb: row.ram_total_mb,
      diskTotalGb: row.disk_total_gb,
      gpuModel: row.gpu_model,
      serialNumber: row.serial_number,
      manufacturer: row.manufacturer,
      model: row.model,
      motherboardManufacturer: row.motherboard_manufacturer,
      motherboardProduct: row.motherboard_product,
      motherboardVersion: row.motherboard_version,
      biosVersion: row.bios_version,
      chassisType: row.chassis_type,
    }
  }

  disks(deviceId: string): DiskVolume[] {
    return this.#read(deviceId, 'disks') ?? []
  }

  adapters(deviceId: string) {
    const adapters = this.#read(deviceId, 'network') ?? []
    return adapters.map((adapter) => ({ ...adapter, isPrimary: adapter.isPrimary ?? false }))
  }

  vpns(deviceId: string): Vpn[] {
    return this.#read(deviceId, 'vpns') ?? []
  }

  connections(deviceId: string): Connection[] {
    return this.#read(deviceId, 'connections') ?? []
  }

  /** Undefined before the first report. */
  #read<Kind extends keyof ReportContents>(deviceId: string, kind: Kind): ReportContents[Kind] | undefined {
    const content = this.#db
      .statement<JsonText<ReportContents[Kind]>>('SELECT content FROM device_reports WHERE device_id = ? AND kind = ?')
      .pluck()
      .get(deviceId, kind)
    return content && fromJson(content)
  }

  /** Saves a report that differs from the last one; `spread` puts it where queries need it. */
  #report(actor: DeviceActor, kind: ReportKind, facts: unknown, part: Part, spread?: () => void): void {
    const text = JSON.stringify(facts)
    const content_hash = sha256(text)
    const { deviceId } = actor
    const known = this.#db.first(
      q.selectFrom('device_reports').select('content_hash').where('device_id', '=', deviceId).where('kind', '=', kind),
    )
    if (known?.content_hash === content_hash) return
    this.#db.transaction(() => {
      // Hardware has a table of its own; here it only leaves its hash.
      const content = kind === 'hardware' ? 'null' : text
      const row = { content, content_hash, reported_at: isoNow(this.#clock) }
      this.#db.run(
        q
          .insertInto('device_reports')
          .values({ device_id: deviceId, kind, ...row })
          .onConflict((conflict) => conflict.columns(['device_id', 'kind']).doUpdateSet(row)),
      )
      spread?.()
      this.#db.afterCommit(() =>
        this.#live.publish({ type: 'device.inventory', deviceId, orgId: actor.orgId, siteId: actor.siteId, part }),
      )
    })
  }
}
