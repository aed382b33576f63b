import type { Database } from '../../db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { ApplianceChecks } from './appliance-checks.ts'
import type { DeviceChecks } from './device-checks.ts'
import type { NewVerification, VerificationLedger } from './ledger.ts'
import { openStatuses, type VerificationRow, verificationById, verificationRows } from './store.ts'

interface StartServices {
  db: Database
  ledger: VerificationLedger
  onAppliance: ApplianceChecks
  onDevices: DeviceChecks
}

/** Gives checks to the device or to the appliance, which makes them, and takes them back. */
export class Starts {
  readonly #services: StartServices

  constructor(services: StartServices) {
    this.#services = services
  }

  /**
   * Joins the transaction under way. Answers the id.
   * @throws AppError `verification_running`
   */
  begin(wish: NewVerification): string {
    const { db, ledger, onAppliance, onDevices } = this.#services
    const id = ledger.begin(wish)
    const row = verificationById(db, id) as VerificationRow
    if (row.ran_on === 'appliance') onAppliance.runSoon(row)
    else onDevices.pushes.soon(row.device_id)
    return id
  }

  /** The same, but for another time when such a check of the device is under way. Answers whether it has begun. */
  beginUnlessBusy(wish: NewVerification): boolean {
    try {
      this.begin(wish)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'verification_running') return false
      throw error
    }
  }

  /** After the commit, for somebody who waits. */
  now(id: string): void {
    const { db, onDevices } = this.#services
    const row = verificationById(db, id)
    if (row?.ran_on === 'device') onDevices.pushes.toDevice(row.device_id)
  }

  /** Joins the transaction that takes the device away. */
  cancelOpen(deviceId: string, reason: string): void {
    const { db, ledger, onAppliance, onDevices } = this.#services
    for (const row of this.#open().filter(({ device_id }) => device_id === deviceId)) {
      ledger.cancel(row, reason)
      if (row.ran_on === 'appliance') onAppliance.drop(row.id)
      else if (row.status === 'running') db.afterCommit(() => onDevices.stop(row))
    }
  }

  /** Gives up on checks of which nothing is heard any more. */
  giveUpOnSilent(): void {
    const { db, ledger, onAppliance, onDevices } = this.#services
    // Nobody says that maintenance is over that a crash has ended.
    onDevices.pushes.toAll()
    for (const row of this.#open()) {
      if (row.ran_on === 'appliance') {
        if (!onAppliance.isUnderWay(row.id)) db.transaction(() => ledger.giveUp(row, 'The check was cut off'))
      } else if (onDevices.isSilent(row)) {
        db.transaction(() => ledger.giveUp(row, 'Verification timed out after 30 minutes'))
        if (row.status === 'running') onDevices.stop(row)
      }
    }
  }

  #open(): VerificationRow[] {
    const open = verificationRows().where('backup_verifications.status', 'in', [...openStatuses])
    return this.#services.db.all(open)
  }
}
