import type { Refusals } from './refusals.ts'

export const backupSnapshotProtectionErrors = {
  backup_no_legal_hold: {
    status: 409,
    error: 'The snapshot has no legal hold',
    onScreen: 'This snapshot has no legal hold.',
  },
  backup_not_immutable: {
    status: 409,
    error: 'The snapshot is not immutable',
    onScreen: 'This snapshot isn’t immutable.',
  },
  backup_held_by_policy: {
    status: 409,
    error: 'A policy keeps this snapshot; change the policy first',
    onScreen: 'The policy “{policy}” keeps this snapshot. Change the policy first.',
  },
  backup_immutability_not_longer: {
    status: 409,
    error: 'Immutability can only be extended forward; it holds until a later time already',
    onScreen: 'Immutability can only be extended. It already lasts longer.',
  },
  backup_immutability_lasts: {
    status: 409,
    error: 'Immutability cannot be released before its time',
    onScreen: 'A lock can’t be removed or shortened before its day.',
  },
  backup_immutability_of_storage: {
    status: 409,
    error: 'The storage enforces the immutability; it cannot be released',
    onScreen: 'The storage itself keeps this snapshot, so it can’t be released.',
  },
} as const satisfies Refusals
