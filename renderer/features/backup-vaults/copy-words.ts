import type { Vault } from '../../../shared/api/backup-vaults.ts'
import { scheduleWords } from '../../domain/backup-policies/schedule-words.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const placeNames: Record<Vault['place'], string> = {
  appliance: 'Disk at the appliance',
  device: 'Disk at the device',
  storage: 'Other storage',
}

interface State {
  tone: Tone
  words: string
  /** What to do, or to know, about it. */
  note: string | null
  isPulsing?: boolean
}

/** How a second copy stands. */
export function stateOf(vault: Vault): State {
  if (!vault.isActive) return { tone: 'idle', words: 'Off', note: 'What is in it stays.' }
  if (vault.damage !== null) return { tone: 'bad', words: 'Damaged', note: damagedNote(vault) }
  if (vault.lastSyncStatus === 'running') return { tone: 'busy', ...underWay(vault), isPulsing: true }
  if (vault.lastSyncStatus === 'failed') return { tone: 'bad', words: 'Failed', note: vault.lastSyncError }
  if (vault.isLate) return { tone: 'warn', words: 'Late', note: lateNote(vault) }
  const waiting = waitingWords(vault)
  if (waiting !== null) return { tone: 'idle', words: waiting, note: 'Copied automatically when it’s connected.' }
  if (vault.lastSyncStatus === 'pending') return { tone: 'busy', words: 'About to begin', note: null }
  if (vault.lastSyncAt === null) return { tone: 'idle', words: 'Nothing copied yet', note: null }
  return { tone: 'good', words: 'Up to date', note: null }
}

function damagedNote({ place }: Vault): string {
  const what = 'Data that was read back for proof is damaged.'
  const then = place === 'storage' ? 'Copy to other storage' : 'Replace the disk'
  return `${what} ${then}, or choose “Copy now” to have all of it read again.`
}

function underWay({ progress }: Vault): { words: string; note: string | null } {
  if (progress === null || progress.total === 0) return { words: 'Comparing', note: null }
  const which = Math.min(progress.done + 1, progress.total)
  const percent = progress.percent === null ? '' : `, ${Math.floor(progress.percent)} %`
  return { words: `Copying ${which} of ${progress.total}${percent}`, note: null }
}

function waitingWords({ waitingFor, vaultType, place }: Vault): string | null {
  if (waitingFor === 'device') return 'Waiting for the device'
  if (waitingFor === null) return null
  if (vaultType === 'smb') return 'Waiting for the share'
  return place === 'storage' ? 'Waiting for the storage' : 'Waiting for the disk'
}

function lateNote(vault: Vault): string {
  const { waitingFor, vaultType } = vault
  if (waitingFor !== 'medium') return `${waitingWords(vault) ?? 'It begins soon'}.`
  return `Connect the ${vaultType === 'smb' ? 'share' : 'disk'}. Copying begins automatically.`
}

/** When it is brought up to date. */
export const whenWords = ({ schedule }: Pick<Vault, 'schedule'>): string =>
  schedule === null ? 'After each backup' : scheduleWords(schedule).replace(/^./, (first) => first.toUpperCase())
