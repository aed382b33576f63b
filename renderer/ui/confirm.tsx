import { Stack } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'

interface Question {
  title: string
  message: ReactNode
  confirm: string
  cancel?: string
  /** Nothing is destroyed, and nobody loses access. */
  isHarmless?: boolean
}

/** Resolves to true if confirmed; closing means no. */
export const askToConfirm = ({ title, message, confirm, cancel = 'Go back', isHarmless = false }: Question) =>
  new Promise<boolean>((resolve) => {
    modals.openConfirmModal({
      title,
      children: <Stack gap="xs">{message}</Stack>,
      labels: { confirm, cancel },
      ...(!isHarmless && { confirmProps: { color: 'red' } }),
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    })
  })
