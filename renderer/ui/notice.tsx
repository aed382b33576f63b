import { Alert, type AlertProps, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props extends Pick<AlertProps, 'role' | 'onClose' | 'mb'> {
  tone: 'good' | 'busy' | 'warn' | 'bad'
  title?: string
  children: ReactNode
}

const colors = { good: 'teal', busy: 'blue', warn: 'yellow', bad: 'red' }

/** A coloured box. Mantine's own title takes the colour, which is hard to read. */
export function Notice({ tone, title, onClose, children, ...others }: Props) {
  const close = onClose && { withCloseButton: true, closeButtonLabel: 'Close', onClose }
  return (
    <Alert color={colors[tone]} variant="light" p="sm" px="md" {...others} {...close}>
      {title && (
        <Text size="sm" fw={600} mb={4}>
          {title}
        </Text>
      )}
      {children}
    </Alert>
  )
}
