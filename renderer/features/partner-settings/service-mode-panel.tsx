import { Radio, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import type { PsaConnection } from '../../../shared/api/psa.ts'
import { partnerWideConnectionsQuery } from '../../data/psa.ts'
import { psaProviderNames } from '../../domain/psa/psa-providers.ts'
import { SettingsFormPanel } from './settings-form-panel.tsx'
import { useSettingsForm } from './use-settings-form.ts'

const modes: { value: Partner['serviceManagementMode']; label: string; description: string }[] = [
  {
    value: 'native',
    label: 'In Homeport',
    description: 'Not available in this version.',
  },
  {
    value: 'external',
    label: 'In another ticket system',
    description: 'Tickets are kept there, not in Homeport.',
  },
  {
    value: 'off',
    label: 'None',
    description: 'No tickets can be created. Nothing is deleted.',
  },
]

const valuesOf = ({ serviceManagementMode, serviceManagementPsaConnectionId }: Partner) => ({
  mode: serviceManagementMode,
  connectionId: serviceManagementPsaConnectionId,
})

interface Props {
  partner: Partner
  isEditable: boolean
}

/** Where the company keeps its tickets; hidden as long as there is nothing to choose from. */
export function ServiceModePanel(props: Props) {
  const { data: connections = [] } = useQuery(partnerWideConnectionsQuery)
  const isChosen = props.partner.serviceManagementMode !== 'native'
  return connections.length > 0 || isChosen ? <ModeForm {...props} connections={connections} /> : null
}

function ModeForm({ partner, isEditable, connections }: Props & { connections: readonly PsaConnection[] }) {
  const panel = useSettingsForm({
    partner,
    valuesOf,
    validate: {
      connectionId: (id, { mode }) => (mode === 'external' && !id ? 'Choose the ticket system' : null),
    },
    changeOf: (_, { mode, connectionId }) => ({
      serviceManagementMode: mode,
      serviceManagementPsaConnectionId: mode === 'external' ? connectionId : null,
    }),
    done: 'Ticket system saved',
  })
  const { form } = panel
  return (
    <SettingsFormPanel title="Tickets" form={panel} isEditable={isEditable}>
      <Radio.Group aria-label="Tickets" readOnly={!isEditable} {...form.getInputProps('mode')}>
        <Stack gap="xs">
          {modes.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {form.values.mode === 'external' &&
        (connections.length === 0 ? (
          <Text size="sm" c="dimmed">
            No ticket system is connected yet. Connect one first.
          </Text>
        ) : (
          <Select
            label="Ticket system"
            placeholder="Choose one"
            data={connections.map(({ id, name, provider }) => ({
              value: id,
              label: `${name} (${psaProviderNames[provider]})`,
            }))}
            allowDeselect={false}
            readOnly={!isEditable}
            {...form.getInputProps('connectionId')}
          />
        ))}
    </SettingsFormPanel>
  )
}
