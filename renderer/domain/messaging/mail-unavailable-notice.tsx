import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { publicConfigQuery } from '../../lib/session.ts'

/** Above a form that sends a mail while no mail can be sent. The same for every address. */
export function MailUnavailableNotice() {
  const mail = useQuery(publicConfigQuery).data?.mail
  if (mail?.available !== false) return null
  return (
    <Alert color="yellow" variant="light" p="sm">
      This appliance can’t send email yet, so you wouldn’t get the link. Ask your administrator to set up a mail server.
    </Alert>
  )
}
