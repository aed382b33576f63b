import { Group, Text } from '@mantine/core'

interface Props {
  size?: number
  /** The sign alone, where there is no room for the word. */
  isShort?: boolean
}

export function Brand({ size = 24, isShort = false }: Props) {
  return (
    <Group gap={9} wrap="nowrap">
      <img src="/icon.svg" width={size} height={size} alt={isShort ? 'Homeport' : ''} />
      {!isShort && (
        <Text fw={650} size={size > 28 ? 'xl' : 'md'} lts="-0.01em">
          Homeport
        </Text>
      )}
    </Group>
  )
}
