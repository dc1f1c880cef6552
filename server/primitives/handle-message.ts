/** Handlers of the messages of a channel, by their kind. */
export type MessageHandlers<Message extends { kind: string }> = {
  [Kind in Message['kind']]?: (message: Extract<Message, { kind: Kind }>) => unknown
}

/** Calls the handler of a message, and returns its result. Messages without a handler are left to others. */
export function handleMessage<Message extends { kind: string }>(
  message: Message,
  handlers: MessageHandlers<Message>,
): unknown {
  const handle = handlers[message.kind as Message['kind']] as
    | ((message: Message) => unknown)
    | undefined
  return handle?.(message)
}
