import { Alert } from '@mantine/core'

/** Above settings of the company that the user may only read. */
export function ReadOnlyNote() {
  return (
    <Alert variant="light" p="sm" mb="md">
      Read-only. To make changes you need the permission Organizations: Change and access to all organizations.
    </Alert>
  )
}

/** The same for a user who may change the company, but has access to some of its organizations only. */
export function AllOrganizationsNote() {
  return (
    <Alert variant="light" p="sm" mb="md">
      Read-only. To make changes you need access to all organizations.
    </Alert>
  )
}
