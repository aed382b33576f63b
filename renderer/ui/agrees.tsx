import { Stack } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'

interface Question {
  title: string
  words: ReactNode
  confirm: string
  cancel?: string
}

/** Whether the question is answered with yes; closing it is no. */
export const agrees = ({ title, words, confirm, cancel = 'Go back' }: Question) =>
  new Promise<boolean>((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Stack gap="xs">{words}</Stack>,
      labels: { confirm, cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    })
  })
