export const systemErrors = {
  job_not_found: { status: 404, error: 'Job not found' },
  binary_not_found: { status: 404, error: 'Binary not found' },
  ca_rotation_in_progress: { status: 409, error: 'A certificate authority rotation is already in progress' },
  ca_rotation_unavailable: { status: 409, error: 'This appliance does not use its own certificate authority' },
  task_not_found: { status: 404, error: 'Task not found' },
} as const
