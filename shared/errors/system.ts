import type { Refusals } from './refusals.ts'

export const systemErrors = {
  job_not_found: { status: 404, error: 'Job not found', onScreen: null },
  binary_not_found: { status: 404, error: 'Binary not found', onScreen: null },
  backup_in_progress: {
    status: 409,
    error: 'A backup is already being made',
    onScreen: 'A backup is being downloaded right now. Try again when it’s finished.',
  },
  backup_failed: {
    status: 503,
    error: 'The backup could not be made',
    onScreen: 'The backup couldn’t be made. Homeport’s log says why; often the disk is full.',
  },
  ca_rotation_in_progress: {
    status: 409,
    error: 'A certificate authority rotation is already in progress',
    onScreen: null,
  },
  ca_rotation_unavailable: {
    status: 409,
    error: 'This appliance does not use its own certificate authority',
    onScreen: null,
  },
  task_not_found: { status: 404, error: 'Task not found', onScreen: null },
} as const satisfies Refusals
