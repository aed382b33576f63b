import { Accordion, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import classes from './preset-choice.module.css'
import type { PresetOption } from './presets.ts'

interface Props {
  choices: readonly PresetOption[]
  onChoose: (id: string) => void
}

/** The first question of the form, because later texts depend on the provider. */
export function PresetChoice({ choices, onChoose }: Props) {
  return (
    <Stack maw={860}>
      <Cards choices={choices.filter(({ type }) => type === 'oidc')} onChoose={onChoose} />
      <Accordion variant="contained">
        <Accordion.Item value="saml">
          <Accordion.Control fz="sm">SAML-only providers</Accordion.Control>
          <Accordion.Panel>
            <Text size="sm" c="dimmed" mb="sm">
              Homeport doesn’t support SAML sign-in. You can save the settings here for later; nobody can sign in with
              them, and they can’t turn passwords off. Most of these providers support OpenID Connect, too.
            </Text>
            <Cards choices={choices.filter(({ type }) => type === 'saml')} onChoose={onChoose} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

function Cards({ choices, onChoose }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
      {choices.map(({ id, guide }) => (
        <UnstyledButton key={id} className={classes.card} onClick={() => onChoose(id)}>
          <Text size="sm" fw={600}>
            {guide.name}
          </Text>
          <Text size="xs" c="dimmed">
            {guide.about}
          </Text>
        </UnstyledButton>
      ))}
    </SimpleGrid>
  )
}
