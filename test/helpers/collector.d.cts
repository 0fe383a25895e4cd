export function collector(): () => void;
