import { Alert } from '@mantine/core'
import { useMailDelivery } from './use-mail-delivery.ts'

/** Above a form that asks for a link by mail while no mail is sent. The same for every address. */
export function MailUnavailableNotice() {
  const delivery = useMailDelivery()
  if (delivery === 'server') return null
  return (
    <Alert color="yellow" variant="light" p="sm">
      {notices[delivery]}
    </Alert>
  )
}

const notices = {
  none: 'This appliance can’t send email yet, so you wouldn’t get the link. Ask your administrator to set up a mail server.',
  file: 'This appliance writes email to files instead of sending it. Ask your administrator for the link.',
}
