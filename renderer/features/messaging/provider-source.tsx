import { Alert } from '@mantine/core'

/** Where the settings come from, when the console is not the one to change them. */
export function SetByEnvironment({ children }: { children: string }) {
  return (
    <Alert variant="light" p="sm">
      {children} To change that, change the environment and restart the appliance.
    </Alert>
  )
}
