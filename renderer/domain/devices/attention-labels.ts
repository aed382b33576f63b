import { attentionHours, type DeviceAttention, diskFullPercent } from '../../../shared/api/devices.ts'

interface AttentionLabel {
  /** Name of the filter. */
  name: string
  /** What is the matter with `devices`, such as "3 devices". */
  sentence: (devices: string, isOne: boolean) => string
  note: string
}

const lately = `In the last ${attentionHours} hours`

export const attentionLabels: Record<DeviceAttention, AttentionLabel> = {
  went_offline: { name: 'Went offline', sentence: (devices) => `${devices} went offline`, note: lately },
  disk_full: {
    name: 'Low disk space',
    sentence: (devices, isOne) => `${devices} ${isOne ? 'is' : 'are'} low on disk space`,
    note: `A disk is at least ${diskFullPercent}% full`,
  },
  command_failed: {
    name: 'Failed command',
    sentence: (devices) => `A command failed on ${devices}`,
    note: lately,
  },
  restart_pending: {
    name: 'Restart needed',
    sentence: (devices, isOne) => `${devices} ${isOne ? 'needs' : 'need'} a restart`,
    note: 'To finish installing updates',
  },
}
